//! Scratch.
use fathom_global::*;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let tl: f64 = args[0].parse().unwrap();
    let threads: usize = args[1].parse().unwrap();
    let prove = std::env::var("PROVE").is_ok();
    for f in &args[2..] {
        let i: Instance = serde_json::from_str(&std::fs::read_to_string(f).unwrap()).unwrap();
        let p = i.posterior().unwrap();
        let t = std::time::Instant::now();
        let pr = i.problem(&p).unwrap();
        let setup = t.elapsed().as_secs_f64();
        let l = Limits { gap: 1e-3, time: Some(Duration::from_secs_f64(tl)), threads, ..Limits::default() };
        if prove {
            let (c, pf) = minimise_with_proof(&pr, &l, &AtomicBool::new(false), |_| {}).unwrap();
            let b = pf.unwrap().to_bytes().unwrap();
            let t = std::time::Instant::now();
            let pf = Proof::from_bytes(&b).unwrap();
            let v = verify(&pf);
            println!(
                "{} nodes {} solve {:.5} verify {:.5} ratio {:.1} bytes {} {:?} {}",
                i.name,
                c.nodes,
                c.seconds,
                t.elapsed().as_secs_f64(),
                t.elapsed().as_secs_f64() / (c.seconds + setup),
                b.len(),
                c.status,
                match v {
                    Ok(v) => format!("OK {} boxes value {:?}", v.boxes, v.value),
                    Err(e) => format!("REJECTED {e}"),
                }
            );
        } else {
            let c = minimise(&pr, &l, &AtomicBool::new(false), |_| {}).unwrap();
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
}
