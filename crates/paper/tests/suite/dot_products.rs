//! Programs of dot-product kernels, of sums with them, and of one group alone: they are the function that they should be,
//! and every solver finds the same minimum.

use super::problem::rng;
use super::solvers;
use fathom_global::{Limits, NegativeVariance, Problem, Region, Row, Stop, minimise};
use fathom_gp::{
    Acquisition, Covariance, Criterion, Dataset, Kernel, Model, Posterior, PwlAcquisition, PwlPosterior, Replicates,
    Term,
};
use fathom_miqp::{Dialect, Encoding, Scip, Settings, Solver, Status};
use fathom_paper::{Breakpoints, Engine, PkMiqp, PkSettings, Program, Treatment, linearise};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LCB: Criterion = Criterion::Lcb { kappa: 1.7 };

fn between(low: f64, high: f64, rng: &mut ChaCha8Rng) -> f64 {
    low + (high - low) * rng.random::<f64>()
}

fn dot_product(rng: &mut ChaCha8Rng) -> Kernel {
    let offset = between(0.0, 1.0, rng);
    match rng.random_range(0..3_u32) {
        0 => Kernel::Linear { offset },
        degree => Kernel::Polynomial { degree: degree + 1, offset },
    }
}

/// The kernels of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One dot-product kernel of all inputs.
    Whole,
    /// A stationary kernel of the first input, and dot-product kernels, one for each of the others.
    Mixed,
}

/// Observations in a box that has 0 inside, outside or on its border, with a random kernel, mean and noise.
fn posterior(shape: Shape, dim: usize, n: usize, rng: &mut ChaCha8Rng) -> (Posterior, Region) {
    let side = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
        0 => (0.0, 1.2),
        1 => (0.3, 1.1),
        2 => (-1.3, -0.2),
        _ => (-1.0, 1.5),
    };
    let bounds: Vec<(f64, f64)> = (0..dim).map(|_| side(rng)).collect();
    let scale = |rng: &mut ChaCha8Rng| between(0.6, 1.6, rng);
    let terms = match shape {
        Shape::Whole => {
            let scales: Vec<f64> = (0..dim).map(|_| scale(rng)).collect();
            vec![Term::new(dot_product(rng), (0..dim).collect(), between(0.3, 1.0, rng), &scales).unwrap()]
        }
        Shape::Mixed => {
            let kernel = |j: usize, rng: &mut ChaCha8Rng| if j == 0 { Kernel::Matern32 } else { dot_product(rng) };
            let term = |j| Term::new(kernel(j, rng), vec![j], between(0.3, 1.0, rng), &[scale(rng)]).unwrap();
            (0..dim).map(term).collect()
        }
    };
    let covariance = Covariance::new(dim, terms).unwrap();
    let x: Vec<Vec<f64>> = (0..n).map(|_| bounds.iter().map(|(a, b)| between(*a, *b, rng)).collect()).collect();
    let y: Vec<f64> = (0..n).map(|_| between(-1.0, 1.0, rng)).collect();
    let data = Dataset::with_replicates(&x, &y, Replicates::Keep).unwrap();
    let model = Model::new(covariance, between(0.01, 0.1, rng)).unwrap().with_mean(0.3).unwrap();
    (model.condition(&data).unwrap(), Region::new(&bounds).unwrap())
}

fn point_of(region: &Region, rng: &mut ChaCha8Rng) -> Vec<f64> {
    region.lower().iter().zip(region.upper()).map(|(a, b)| between(*a, *b, rng)).collect()
}

/// No row, bound or function of the program is violated at its point over `x`, in any encoding.
fn holds(program: &Program<'_>, x: &[f64]) {
    let point = program.lift(x);
    let found = program.model().violations(&point, 1e-8).unwrap();
    assert!(found.is_empty(), "{x:?}: {found:?}");
    for encoding in [Encoding::Binaries, Encoding::Sos2, Encoding::Logarithmic] {
        let expansion = program.model().expanded(encoding).unwrap();
        let found = expansion.model().violations(&expansion.lift(&point), 1e-8).unwrap();
        assert!(found.is_empty(), "{encoding:?} {x:?}: {found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_program_of_a_dot_product_kernel_is_the_piecewise_linear_function(
        seed in any::<u64>(), dim in 1_usize..4, n in 1_usize..8, mixed in any::<bool>(),
    ) {
        let rng = &mut rng(seed);
        let (posterior, region) = posterior(if mixed { Shape::Mixed } else { Shape::Whole }, dim, n, rng);
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
        for criterion in [LCB, Criterion::Mean, Criterion::Deviation] {
            let mut function = PwlAcquisition::new(&approximate, criterion, NegativeVariance::Clamped).unwrap();
            let program = Program::full(&approximate, criterion, &region, NegativeVariance::Clamped).unwrap();
            // Corners are where inner products have their bounds.
            for x in [point_of(&region, rng), region.lower().to_vec(), region.upper().to_vec()] {
                let (value, own) = (program.value(&x), function.value(&x));
                prop_assert!((value - own).abs() < 1e-7, "{criterion:?} at {x:?}: {value} and {own}");
                prop_assert!(program.keeps(&x));
                holds(&program, &x);
            }
        }
    }

    #[test]
    fn the_published_program_of_a_dot_product_kernel_keeps_what_has_a_variance(
        seed in any::<u64>(), dim in 1_usize..4, n in 1_usize..8, mixed in any::<bool>(),
    ) {
        let rng = &mut rng(seed);
        let (posterior, region) = posterior(if mixed { Shape::Mixed } else { Shape::Whole }, dim, n, rng);
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::Published).unwrap();
        let program = Program::full(&approximate, LCB, &region, NegativeVariance::Excluded).unwrap();
        let x = point_of(&region, rng);
        let (_, variance) = approximate.predict(&x).unwrap();
        prop_assume!(variance.abs() > 1e-6);
        prop_assert_eq!(program.keeps(&x), variance > 0.0);
        let found = program.model().violations(&program.lift(&x), 1e-7).unwrap();
        prop_assert_eq!(found.is_empty(), variance > 0.0, "{:?}", found);
    }

    #[test]
    fn glcb_of_a_linear_kernel_which_is_its_own_approximation_is_the_function_itself(
        seed in any::<u64>(), dim in 1_usize..4, n in 1_usize..8,
    ) {
        let rng = &mut rng(seed);
        let (_, region) = posterior(Shape::Whole, dim, 1, rng);
        let covariance = Covariance::isotropic(Kernel::Linear { offset: 0.4 }, dim, 0.8, 1.1).unwrap();
        let x: Vec<Vec<f64>> = (0..n).map(|_| point_of(&region, rng)).collect();
        let y: Vec<f64> = (0..n).map(|_| between(-1.0, 1.0, rng)).collect();
        let posterior = Model::new(covariance, 0.05).unwrap().condition(&Dataset::new(&x, &y).unwrap()).unwrap();
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
        let glcb = Criterion::Glcb { kappa: 1.7, rho: 0.8, imprecision: 3.0 };
        let program = Program::full(&approximate, glcb, &region, NegativeVariance::Clamped).unwrap();
        let mut exact = Acquisition::new(&posterior, glcb).unwrap();
        for x in [point_of(&region, rng), region.lower().to_vec()] {
            let (value, own) = (program.value(&x), exact.value(&x));
            prop_assert!((value - own).abs() < 1e-6, "{value} and {own}");
            holds(&program, &x);
        }
    }

    #[test]
    fn the_program_of_a_group_is_the_groups_function(
        seed in any::<u64>(), dim in 2_usize..4, n in 1_usize..8,
    ) {
        let rng = &mut rng(seed);
        let (posterior, region) = posterior(Shape::Mixed, dim, n, rng);
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
        for group in 0..dim {
            let own = alone(&region, group);
            for criterion in [LCB, Criterion::Mean, Criterion::Deviation] {
                let function = PwlAcquisition::new(&approximate, criterion, NegativeVariance::Clamped).unwrap();
                let mut function = function.of_group(group);
                let program =
                    Program::group(&approximate, criterion, &own, NegativeVariance::Clamped, group).unwrap();
                let x = point_of(&own, rng);
                let (value, expected) = (program.value(&x), function.value(&x));
                prop_assert!((value - expected).abs() < 1e-7, "group {group}: {value} and {expected}");
                holds(&program, &x);
            }
        }
    }
}

/// The region with every input but one at its lower end.
fn alone(region: &Region, input: usize) -> Region {
    let side = |j: usize| (region.lower()[j], if j == input { region.upper()[j] } else { region.lower()[j] });
    Region::new(&(0..region.dim()).map(side).collect::<Vec<_>>()).unwrap()
}

#[test]
fn names_and_rows_of_dot_products_are_those_of_the_documentation() {
    let rng = &mut rng(3);
    let (posterior, region) = posterior(Shape::Mixed, 2, 2, rng);
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    let program = Program::full(&approximate, LCB, &region, NegativeVariance::Clamped).unwrap();
    for name in ["r_1_1", "p_2_1", "p_2_2", "p_2_own", "K_2_own", "K_1", "K_2"] {
        assert!(program.model().variable(name).is_some(), "{name}");
    }
    let row = |name: &str| program.model().rows().iter().find(|row| row.name() == name).unwrap().clone();
    assert!(row("product_2_1").left().is_linear() && !row("product_2_own").left().is_linear());
    let sub = Program::sub(&approximate, &region).unwrap();
    assert!(sub.model().variable("p_2_own").is_none(), "the mean has no prior variance");
    let group = Program::group(&approximate, LCB, &alone(&region, 1), NegativeVariance::Clamped, 1).unwrap();
    assert!(group.model().variable("p_2").is_some() && group.model().variable("r_1").is_none());
    let refused = |criterion, group| {
        Program::group(&approximate, criterion, &region, NegativeVariance::Clamped, group).unwrap_err().to_string()
    };
    assert!(refused(LCB, 2).contains("a group that the model does not have"));
    assert!(refused(Criterion::Glcb { kappa: 1.0, rho: 1.0, imprecision: 1.0 }, 0).contains("glcb of one group"));
}

#[test]
fn scip_finds_the_minimum_of_each_group_that_the_certified_search_finds() {
    let Some(scip) = solvers::scip() else { return };
    let term = |kernel, input| Term::new(kernel, vec![input], 0.7, &[0.5]).unwrap();
    let covariance = Covariance::new(2, vec![term(Kernel::Matern32, 0), term(Kernel::Rbf, 1)]).unwrap();
    let x = [[0.1, 0.9], [0.3, 0.2], [0.55, 0.6], [0.8, 0.35], [0.95, 0.7]];
    let data = Dataset::new(&x, &[0.4, -0.3, 0.9, -0.8, 0.2]).unwrap();
    let posterior = Model::new(covariance, 1e-2).unwrap().with_mean(0.2).unwrap().condition(&data).unwrap();
    let region = Region::new(&[(0.0, 1.0); 2]).unwrap();
    let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
    for group in 0..2 {
        let own = alone(&region, group);
        let problem =
            Problem::piecewise_linear_group(&approximate, LCB, own.clone(), NegativeVariance::Clamped, group).unwrap();
        let limits = Limits { gap: 1e-6, ..Limits::default() };
        let certificate = minimise(&problem, &limits, &Stop::new(false), |_| {}).unwrap();
        let program = Program::group(&approximate, LCB, &own, NegativeVariance::Clamped, group).unwrap();
        let (value, bound) = by_scip(&scip, &program);
        assert!((value - certificate.value).abs() < 1e-5, "group {group}: {value} and {}", certificate.value);
        assert!(certificate.lower_bound.unwrap() <= value && bound <= certificate.value + 1e-5);
    }
}

/// One random problem of a dot-product kernel, and its program.
struct Case {
    approximate: PwlPosterior,
    region: Region,
}

impl Case {
    fn new(seed: u64) -> Self {
        let rng = &mut rng(seed);
        let dim = rng.random_range(1..4_usize);
        // More observations of more inputs take SCIP too long for a test.
        let n = rng.random_range(2..6 - dim);
        let (posterior, mut region) = posterior(Shape::Whole, dim, n, rng);
        if rng.random_range(0..3) == 0 {
            region = region.with_integers(&[dim - 1]).unwrap();
        }
        let all = |weight: f64| (0..dim).map(|j| (j, weight)).collect::<Vec<_>>();
        let middle: f64 = region.lower().iter().zip(region.upper()).map(|(a, b)| 0.5 * (a + b)).sum();
        region = match rng.random_range(0..3) {
            0 => region.with_row(Row::new(&all(1.0), &[], f64::NEG_INFINITY, middle + 0.2).unwrap()).unwrap(),
            1 => {
                let squares: Vec<(usize, usize, f64)> = (0..dim).map(|j| (j, j, 1.0)).collect();
                region.with_row(Row::new(&[], &squares, 0.1, 1.5 + 0.5 * dim as f64).unwrap()).unwrap()
            }
            _ => region,
        };
        let approximate = linearise(&posterior, &region, Breakpoints::Paper, Treatment::KeepAll).unwrap();
        Self { approximate, region }
    }

    fn degree(&self) -> u32 {
        let kernel = self.approximate.exact().model().covariance.terms()[0].kernel();
        if let Kernel::Polynomial { degree, .. } = kernel { degree } else { 1 }
    }

    fn program(&self) -> Program<'_> {
        Program::full(&self.approximate, LCB, &self.region, NegativeVariance::Clamped).unwrap()
    }
}

/// The value of the point that SCIP finds, evaluated by us, and SCIP's bound.
fn by_scip(scip: &Scip, program: &Program<'_>) -> (f64, f64) {
    let settings = Settings { absolute_gap: 1e-6, time_limit: Some(Duration::from_secs(60)), ..Settings::default() };
    let outcome = scip.solve(program.model(), &settings, &Stop::new(false)).unwrap();
    assert_eq!(outcome.status, Status::Optimal);
    (program.value(program.x(&outcome.points[0].values)), outcome.claimed_bound.unwrap())
}

/// The same of the certified search, by way of the whole method, whose statement about the true function must hold as well.
fn embedded(case: &Case) -> (f64, f64) {
    let settings = PkSettings { gap: 1e-6, ..PkSettings::default() };
    let pk = PkMiqp::new(Engine::Embedded, &settings).unwrap();
    let exact = case.approximate.exact();
    let found = pk.minimise(exact, LCB, &case.region, &Stop::new(false), |_| {}).unwrap();
    assert_eq!(found.certificate.status, fathom_global::Status::Optimal, "{:?}", found.certificate);
    let of_true = found.of_true_function();
    let problem = Problem::new(exact, LCB, case.region.clone()).unwrap();
    let least = minimise(&problem, &Limits { gap: 1e-7, seed: 1, ..Limits::default() }, &Stop::new(false), |_| {});
    assert!(of_true.lower_bound.unwrap() <= least.unwrap().value, "{of_true:?}");
    (found.certificate.value, found.certificate.lower_bound.unwrap())
}

/// Solves every file, as anyone with SCIP would, and prints bound and point of each.
const SCIP_ON_FILES: &str = "
import sys, pyscipopt
for path in sys.argv[1:]:
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(path)
    model.setParam('numerics/feastol', 1e-9)
    model.setParam('limits/absgap', 1e-6)
    model.optimize()
    assert model.getStatus() in ('optimal', 'gaplimit'), (path, model.getStatus())
    x = {v.name: model.getVal(v) for v in model.getVars()}
    count = sum(name.startswith('x_') for name in x)
    print(model.getDualbound(), *[x[f'x_{j + 1}'] for j in range(count)])
";

/// Values and bounds of SCIP on our MPS files.
fn by_mps(cases: &[Case], folder: &Path) -> Vec<(f64, f64)> {
    let files: Vec<PathBuf> = (0..cases.len()).map(|i| folder.join(format!("{i}.mps"))).collect();
    for (case, file) in cases.iter().zip(&files) {
        let to = std::io::BufWriter::new(std::fs::File::create(file).unwrap());
        case.program().model().write_mps(to, Dialect::Common(Encoding::Binaries)).unwrap();
    }
    let output = Command::new(solvers::python()).args(["-c", SCIP_ON_FILES]).args(&files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<f64>>();
    let answer = |(line, case): (&str, &Case)| {
        let numbers = numbers(line);
        (case.program().value(&numbers[1..]), numbers[0])
    };
    text.lines().zip(cases).map(answer).collect()
}

#[test]
fn solvers_agree_on_random_problems_of_dot_product_kernels() {
    let Some(scip) = solvers::scip() else { return };
    let count = std::env::var("FATHOM_CASES").map_or(40, |count| count.parse().unwrap());
    let cases: Vec<Case> = (0..count).map(Case::new).collect();
    let is_varied = |holds: &dyn Fn(&Case) -> bool| count < 40 || cases.iter().filter(|case| holds(case)).count() >= 5;
    for degree in [1, 2, 3] {
        assert!(is_varied(&|case| case.degree() == degree), "degree {degree}");
    }
    assert!(
        is_varied(&|case| !case.region.rows().is_empty()) && is_varied(&|case| case.region.integer().contains(&true))
    );
    let folder = tempfile::tempdir().unwrap();
    // Each engine gives a value and a bound for every case.
    let engines: Vec<(&str, Vec<(f64, f64)>)> = vec![
        ("SCIP on LP", cases.iter().map(|case| by_scip(&scip, &case.program())).collect()),
        ("SCIP on MPS", by_mps(&cases, folder.path())),
        ("embedded", cases.iter().map(embedded).collect()),
    ];
    for (name, answers) in &engines {
        assert_eq!(answers.len(), cases.len(), "{name}");
    }
    for i in 0..cases.len() {
        let best = engines.iter().map(|(_, answers)| answers[i].0).fold(f64::INFINITY, f64::min);
        for (name, answers) in &engines {
            let (value, bound) = answers[i];
            assert!(value <= best + 1e-5, "case {i}, {name}: {value}, and another engine found {best}");
            assert!(bound <= best + 1e-5, "case {i}, {name}: bound {bound} above {best}");
        }
    }
}
