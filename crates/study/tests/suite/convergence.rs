//! The benchmarks of the paper's Section 5.3 through the public interface, beside random search. The ninth, the tuning of
//! a support vector machine, is an external program, so the tests of the command line have it.

use fathom_study::{Definition, Function, Study};

/// Replications of the loop, and of random search, which is cheap.
const LOOPS: u64 = 3;
const RANDOM: u64 = 21;

/// The best value that the loop finds in `trials` evaluations, less the minimum.
fn regret(function: Function, trials: usize, seed: u64) -> f64 {
    let mut text = function.study_file() + &format!("[strategy]\nseed = {seed}\ninitial = 10\n");
    if function == Function::Michalewicz5 {
        // A sum of functions of one input each, and an additive model as in the paper. Its valleys are narrow, and a
        // certified search among them takes a minute for each ask.
        text += "groups = [['x1'], ['x2'], ['x3'], ['x4'], ['x5']]\noptimiser = 'multistart'\n";
    }
    let mut study = Study::create("memory:", Definition::parse(&text).unwrap()).unwrap();
    for _ in 0..trials {
        let trial = study.ask(1).unwrap().remove(0);
        study.definition().space.check(&trial.point).unwrap();
        let x: Vec<f64> = function.parameters().iter().map(|name| trial.number(name).unwrap()).collect();
        study.tell(trial.id, function.value(&x)).unwrap();
    }
    study.best().unwrap().unwrap().objective().unwrap() - function.minimum()
}

/// The same for points drawn from the part of the domain where the constraints hold.
fn regret_at_random(function: Function, trials: usize, seed: u64) -> f64 {
    let space = Definition::parse(&function.study_file()).unwrap().space;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed + 1);
    let mut unit = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut points = std::iter::repeat_with(|| {
        let x: Vec<f64> = (0..space.dim()).map(|_| unit()).collect();
        space.decode(&x)
    });
    let kept = points.by_ref().filter(|point| space.check(point).is_ok()).take(trials);
    let value = |point: fathom_study::Point| {
        function.value(&point.values().filter_map(fathom_study::Value::as_f64).collect::<Vec<_>>())
    };
    kept.map(value).fold(f64::INFINITY, f64::min) - function.minimum()
}

fn median(mut regrets: Vec<f64>) -> f64 {
    regrets.sort_by(f64::total_cmp);
    regrets[regrets.len() / 2]
}

/// The median replication of the loop stays below a level that the median of random search does not reach with the same
/// budget, by a factor of two.
fn converges(function: Function, trials: usize, level: f64) {
    let found: Vec<f64> = (0..LOOPS).map(|seed| regret(function, trials, seed)).collect();
    let random = median((0..RANDOM).map(|seed| regret_at_random(function, trials, seed)).collect());
    let told = format!("{}: regret {found:?}, at random {random}, level {level}", function.name());
    assert!(found.iter().all(|regret| *regret > -1e-4) && median(found) < level && level < 0.5 * random, "{told}");
}

#[test]
fn the_loop_converges_on_bumpy() {
    converges(Function::Bumpy, 40, 0.05);
}

#[test]
fn the_loop_converges_on_multimodal() {
    converges(Function::Multimodal, 25, 0.005);
}

#[test]
fn the_loop_converges_on_ackley() {
    converges(Function::Ackley, 60, 0.1);
}

#[test]
fn the_loop_converges_on_branin() {
    converges(Function::Branin, 40, 0.05);
}

#[test]
fn the_loop_converges_on_rosenbrock() {
    converges(Function::Rosenbrock, 50, 0.2);
}

#[test]
fn the_loop_converges_on_hartmann() {
    converges(Function::Hartmann3, 40, 0.05);
}

#[test]
fn the_loop_converges_on_michalewicz() {
    converges(Function::Michalewicz5, 60, 1.0);
}

#[test]
fn the_loop_converges_under_the_constraints_of_ks224() {
    converges(Function::Ks224, 25, 0.5);
}
