//! The rows and the objective of the paper's program are right at points made from x, and exports are as committed.

use fathom_global::{Instance, NegativeVariance, Region, Row};
use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Posterior, PwlPosterior, Term};
use fathom_miqp::{Dialect, Encoding};
use fathom_paper::{Breakpoints, Program, Treatment, linearise};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

const LCB: Criterion = Criterion::Lcb { kappa: 1.7 };

fn posterior(kernel: Kernel, x: &[Vec<f64>], y: &[f64], lengthscale: f64) -> Posterior {
    let covariance = Covariance::isotropic(kernel, x[0].len(), 1.3, lengthscale).unwrap();
    Model::new(covariance, 1e-4).unwrap().condition(&Dataset::new(x, y).unwrap()).unwrap()
}

fn cube(dim: usize) -> Region {
    Region::new(&vec![(0.0, 1.0); dim]).unwrap()
}

/// μ̃ − κ max(σ̃², 0)^½ as the model of the Gaussian process computes it.
fn own_lcb(approximate: &PwlPosterior, x: &[f64], kappa: f64) -> f64 {
    let (mean, variance) = approximate.predict(x).unwrap();
    mean - kappa * variance.max(0.0).sqrt()
}

/// Kernel, data in the unit cube of one to three inputs, lengthscale, and a point.
fn problems() -> impl Strategy<Value = (Kernel, Vec<Vec<f64>>, Vec<f64>, f64, Vec<f64>)> {
    let kernels = prop_oneof![
        Just(Kernel::Matern32),
        Just(Kernel::Rbf),
        Just(Kernel::Matern12),
        Just(Kernel::Matern52),
        Just(Kernel::Matern72)
    ];
    (kernels, 1..=3_usize, 1..=8_usize).prop_flat_map(|(kernel, dim, count)| {
        let point = || proptest::collection::vec(0.0..=1.0_f64, dim);
        let data = proptest::collection::vec(point(), count);
        (Just(kernel), data, proptest::collection::vec(-1.0..1.0_f64, count), 0.1..1.0_f64, point())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_program_at_a_lifted_point_is_the_piecewise_linear_lcb((kernel, data, y, l, x) in problems()) {
        let posterior = posterior(kernel, &data, &y, l);
        let region = cube(x.len());
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
        let program = Program::full(&approximate, LCB, &region, NegativeVariance::Clamped).unwrap();
        let point = program.lift(&x);
        let own = own_lcb(&approximate, &x, 1.7);
        prop_assert!((program.value(&x) - own).abs() < 1e-6, "{} {own}", program.value(&x));
        prop_assert_eq!(program.x(&point), &x[..]);
        prop_assert!(program.keeps(&x));
        // No encoding loses an x: bounds, rows and Eq. (6) hold at the lifted point.
        let found = program.model().violations(&point, 1e-8).unwrap();
        prop_assert!(found.is_empty(), "{found:?}");
        for encoding in [Encoding::Binaries, Encoding::Sos2, Encoding::Logarithmic] {
            let expansion = program.model().expanded(encoding).unwrap();
            let found = expansion.model().violations(&expansion.lift(&point), 1e-8).unwrap();
            prop_assert!(found.is_empty(), "{encoding:?}: {found:?}");
        }
    }

    #[test]
    fn a_point_of_the_published_program_is_feasible_if_its_variance_is_not_negative((kernel, data, y, l, x) in problems()) {
        let posterior = posterior(kernel, &data, &y, l);
        let region = cube(x.len());
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::Published).unwrap();
        let program = Program::full(&approximate, LCB, &region, NegativeVariance::Excluded).unwrap();
        let (_, variance) = approximate.predict(&x).unwrap();
        // K̃⁻¹ reaches 1e6 and magnifies rounding.
        prop_assume!(variance.abs() > 1e-6);
        prop_assert_eq!(program.keeps(&x), variance > 0.0);
        let found = program.model().violations(&program.lift(&x), 1e-6).unwrap();
        prop_assert_eq!(found.is_empty(), variance > 0.0, "{:?}", found);
    }

    #[test]
    fn glcb_costs_one_binary_and_is_the_function_itself_if_the_kernel_is_nearly_exact(
        (_, data, y, l, x) in problems(),
    ) {
        let posterior = posterior(Kernel::Matern52, &data[..1], &y[..1], l);
        let region = cube(x.len());
        let glcb = Criterion::Glcb { kappa: 1.7, rho: 0.8, imprecision: 3.0 };
        let approximate = linearise(&posterior, &region, Breakpoints::Error(1e-5), Treatment::KeepAll).unwrap();
        let [plain, program] =
            [LCB, glcb].map(|c| Program::full(&approximate, c, &region, NegativeVariance::Clamped).unwrap());
        prop_assert_eq!(program.model().columns().len(), plain.model().columns().len() + 3);
        let exact = Acquisition::new(&posterior, glcb).unwrap().value(&x);
        // |σ − σ̃| is at most the square root of the variance's error, 1e-5 times a few.
        prop_assert!((program.value(&x) - exact).abs() < 0.03, "{} {exact}", program.value(&x));
        let found = program.model().violations(&program.lift(&x), 1e-8).unwrap();
        prop_assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn the_sub_problem_is_the_full_one_without_variance_and_its_objective_the_mean() {
    let data = [vec![0.1, 0.2], vec![0.8, 0.3], vec![0.5, 0.9]];
    let posterior = posterior(Kernel::Matern32, &data, &[0.3, -0.4, 0.1], 0.4);
    let region = cube(2);
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let full = Program::full(&approximate, LCB, &region, NegativeVariance::Clamped).unwrap();
    let sub = Program::sub(&approximate, &region).unwrap();
    let names = |program: &Program<'_>| -> Vec<String> {
        program.model().rows().iter().map(|row| row.name().to_string()).collect()
    };
    let without: Vec<String> =
        names(&full).into_iter().filter(|name| !["clamp_s", "clamp_sigma", "variance"].contains(&&name[..])).collect();
    assert_eq!(names(&sub), without);
    assert_eq!(sub.model().pwls(), full.model().pwls());
    for x in [[0.0, 0.0], [0.3, 0.7], [1.0, 0.4]] {
        assert!((sub.value(&x) - approximate.predict(&x).unwrap().0).abs() < 1e-12);
        // μ̃ = α̃ + κσ̃ ≥ α̃: the mean alone is never below the full objective.
        assert!(sub.value(&x) >= full.value(&x));
    }
}

#[test]
fn sums_of_kernels_have_distances_for_each_term() {
    let terms = [(Kernel::Matern32, vec![0]), (Kernel::Rbf, vec![1, 2])];
    let terms = terms.map(|(kernel, inputs)| Term::new(kernel, inputs, 0.6, &[0.4]).unwrap());
    let covariance = Covariance::new(3, terms.to_vec()).unwrap();
    let data = Dataset::new(&[[0.1, 0.2, 0.9], [0.7, 0.5, 0.1]], &[0.4, -0.2]).unwrap();
    let posterior = Model::new(covariance, 1e-4).unwrap().condition(&data).unwrap();
    let region = cube(3);
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let program = Program::full(&approximate, LCB, &region, NegativeVariance::Clamped).unwrap();
    for name in ["r_1_1", "K_1_2", "r_2_1", "K_2_2", "K_1", "K_2"] {
        assert!(program.model().variable(name).is_some(), "{name}");
    }
    let x = [0.3, 0.8, 0.4];
    assert!((program.value(&x) - own_lcb(&approximate, &x, 1.7)).abs() < 1e-9);
    assert!(program.model().violations(&program.lift(&x), 1e-9).unwrap().is_empty());
}

#[test]
fn a_problem_that_the_program_cannot_express_is_refused() {
    let posterior = posterior(Kernel::Rbf, &[vec![0.5]], &[0.1], 0.3);
    let region = cube(1);
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let full = |criterion, region: &Region| {
        Program::full(&approximate, criterion, region, NegativeVariance::Clamped).map(|_| ()).unwrap_err().to_string()
    };
    assert!(full(Criterion::Ei { best: 0.0 }, &region).contains("use lcb, mean, deviation or glcb"));
    assert!(full(LCB, &cube(2)).contains("2 sides"));
    assert!(full(LCB, &Region::new(&[(0.0, 1.5)]).unwrap()).contains("reaches beyond [0, 1]"));
}

/// One observation of two inputs, the second whole, under a two-sided row and a disc: every kind of row once.
fn small() -> (Posterior, Region) {
    let posterior = posterior(Kernel::Matern32, &[vec![0.25, 1.0]], &[0.5], 0.5);
    let band = Row::new(&[(0, 1.0), (1, 1.0)], &[], 0.25, 2.5).unwrap();
    let disc = Row::new(&[], &[(0, 0, 1.0), (1, 1, 1.0)], f64::NEG_INFINITY, 4.0).unwrap();
    let region = Region::new(&[(0.0, 1.0), (0.0, 2.0)]).unwrap().with_integers(&[1]).unwrap();
    (posterior, region.with_row(band).unwrap().with_row(disc).unwrap())
}

/// Words, and numbers to nine digits: the last bits of exp differ between machines.
fn tokens(text: &str) -> Vec<String> {
    let token = |word: &str| word.parse::<f64>().map_or_else(|_| word.to_string(), |number| format!("{number:.9e}"));
    text.split_whitespace().map(token).collect()
}

#[test]
fn exported_programs_are_as_committed() {
    let (posterior, region) = small();
    let variance = posterior.model().covariance.terms()[0].variance();
    let approximate = linearise(&posterior, &region, Breakpoints::Error(0.1 / variance), Treatment::KeepAll).unwrap();
    let full = Program::full(&approximate, LCB, &region, NegativeVariance::Excluded).unwrap();
    let clamped = Program::full(&approximate, LCB, &region, NegativeVariance::Clamped).unwrap();
    let sub = Program::sub(&approximate, &region).unwrap();
    for (name, program, encoding) in [
        ("full", &full, Encoding::Binaries),
        ("clamped", &clamped, Encoding::Logarithmic),
        ("sub", &sub, Encoding::Sos2),
    ] {
        let (mut lp, mut mps) = (Vec::new(), Vec::new());
        program.model().write_lp(&mut lp, Dialect::Common(encoding)).unwrap();
        program.model().write_mps(&mut mps, Dialect::Common(encoding)).unwrap();
        for (kind, written) in [("lp", lp), ("mps", mps)] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.{kind}"));
            let written = String::from_utf8(written).unwrap();
            if std::env::var_os("FATHOM_BLESS").is_some() {
                fs::write(&path, &written).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap();
            assert_eq!(tokens(&written), tokens(&expected), "{name}.{kind} changed; FATHOM_BLESS=1 accepts it");
        }
    }
}

pub fn instance(path: &Path) -> Instance {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

pub fn instances() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|kind| kind == "json")).collect();
    paths.sort();
    paths
}
