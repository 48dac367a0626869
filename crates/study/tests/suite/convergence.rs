//! The benchmarks of the paper's Section 5.3, through the public interface.

use fathom_study::{Definition, Function, Study};

/// The best value after `trials` evaluations of `function`.
fn run(function: Function, trials: usize, seed: u64) -> f64 {
    let text = function.study_file() + &format!("[strategy]\nseed = {seed}\ntime_limit = '5s'\n");
    let mut study = Study::create("memory:", Definition::parse(&text).unwrap()).unwrap();
    for _ in 0..trials {
        let trial = study.ask(1).unwrap().remove(0);
        let x: Vec<f64> = function.parameters().iter().map(|name| trial.number(name).unwrap()).collect();
        study.tell(trial.id, function.value(&x)).unwrap();
    }
    study.best().unwrap().unwrap().value.unwrap()
}

/// Regret after few trials, the better of two seeds.
#[test]
fn the_loop_converges_on_the_benchmarks_of_the_paper() {
    for (function, trials, allowed) in [
        (Function::Bumpy, 45, 0.05),
        (Function::Multimodal, 30, 0.01),
        (Function::Branin, 45, 0.05),
        (Function::Rosenbrock, 50, 1.0),
        (Function::Ackley, 60, 6.0),
        (Function::Hartmann3, 50, 0.05),
        (Function::Michalewicz5, 45, 3.0),
    ] {
        let regret = (0..2).map(|seed| run(function, trials, seed) - function.minimum()).fold(f64::INFINITY, f64::min);
        assert!((-1e-6..allowed).contains(&regret), "{}: regret {regret}", function.name());
    }
}

#[test]
fn the_loop_converges_on_the_constrained_benchmark() {
    let regret = run(Function::Ks224, 30, 0) - Function::Ks224.minimum();
    assert!((-1e-4..1.0).contains(&regret), "regret {regret}");
}
