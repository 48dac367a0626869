//! Scratch.
use fathom_global::*;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let tl: f64 = args[0].parse().unwrap();
    let threads: usize = args[1].parse().unwrap();
    for f in &args[2..] {
        let i: Instance = serde_json::from_str(&std::fs::read_to_string(f).unwrap()).unwrap();
        let p = i.posterior().unwrap();
        let t = std::time::Instant::now();
        let pr = i.problem(&p).unwrap();
        let setup = t.elapsed().as_secs_f64();
        let c = minimise(
            &pr,
            &Limits { gap: 1e-3, time: Some(Duration::from_secs_f64(tl)), threads, ..Limits::default() },
            &AtomicBool::new(false),
            |_| {},
        )
        .unwrap();
        println!(
            "{} value {:.6} lb {:.6} nodes {} t {:.5} setup {:.5} {:?}",
            i.name,
            c.value,
            c.lower_bound.unwrap_or(f64::NAN),
            c.nodes,
            c.seconds,
            setup,
            c.status
        );
    }
}
