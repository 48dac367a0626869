//! Table 1 of the paper, and the true errors behind its e_approx.

use fathom_gp::{Kernel, Partition, PwlKernel, Result};
use std::fmt::Write as _;

/// Table 1: ε_k and the cuts r_1, r_2, r_3 of each kernel that has them, for σ_f² = 1.
pub fn table_1() -> Result<String> {
    let mut text = String::from("| kernel | ε_k | r_1 | r_2 | r_3 |\n|---|---|---|---|---|\n");
    for kernel in [Kernel::Matern32, Kernel::Rbf, Kernel::Matern52, Kernel::RationalQuadratic { alpha: 1.0 }] {
        let partition = Partition::new(kernel, (0.0, 100.0))?;
        let cuts: Vec<String> = partition.sections.iter().take(3).map(|section| format!("{:.4}", section.to)).collect();
        let shape = kernel.shape().map(|alpha| format!(", α = {alpha}")).unwrap_or_default();
        let _ = writeln!(text, "| {}{shape} | {:.6} | {} |", kernel.name(), partition.threshold, cuts.join(" | "));
    }
    Ok(text)
}

/// The proven maximum of |k − k̃| for D = 1..5 and several r_max, with σ_f² = 1.
pub fn error_table() -> Result<String> {
    let ranges = [0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0];
    let heads: Vec<String> = ranges.iter().map(|r| format!("r_max = {r}")).collect();
    let mut text = format!("| kernel, D | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(ranges.len()));
    for kernel in [Kernel::Matern32, Kernel::Rbf] {
        for dim in 1..=5 {
            let cell = |r_max: &f64| Ok(format!("{:.4}", PwlKernel::paper(kernel, dim, (0.0, *r_max))?.error()));
            let cells: Vec<String> = ranges.iter().map(cell).collect::<Result<_>>()?;
            let _ = writeln!(text, "| {}, {dim} | {} |", kernel.name(), cells.join(" | "));
        }
    }
    Ok(text)
}
