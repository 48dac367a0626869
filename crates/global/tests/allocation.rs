//! The search allocates nothing per node once it runs. It has its own binary, because it counts the whole process.
#![allow(clippy::unwrap_used)]

use fathom_global::{Instance, Limits, Posed as _, Stop, minimise};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::path::Path;
use std::sync::atomic::Ordering;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn nodes_are_bounded_and_branched_without_allocating() {
    for name in ["bo_d6_n200_matern32_r0", "bo_d6_n200_rbf_r0"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances").join(format!("{name}.json"));
        let instance: Instance = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let posterior = instance.posterior().unwrap();
        let problem = instance.problem(&posterior).unwrap();
        let stop = Stop::new(false);
        let mut since: Option<(Region<'_, System>, u64)> = None;
        let mut seen = (0, 0);
        minimise(&problem, &Limits { gap: 1e-6, ..Limits::default() }, &stop, |progress| {
            if progress.nodes < 1000 {
                return;
            }
            let (region, begun) = since.get_or_insert_with(|| (Region::new(ALLOCATOR), progress.nodes));
            let change = region.change();
            seen = (change.allocations + change.reallocations, progress.nodes - *begun);
            if seen.1 > 2000 {
                stop.store(true, Ordering::Relaxed);
            }
        })
        .unwrap();
        let (allocations, nodes) = seen;
        assert!(nodes > 2000, "{name}: {nodes} nodes are too few to tell");
        // Blocks double a few times at most; one per node would be thousands.
        assert!(allocations < 20, "{name}: {allocations} allocations in {nodes} nodes");
    }
}
