//! How much each parameter matters.
//!
//! The importance of a parameter is its first-order Sobol' index under the model: the share of the variance of the posterior mean
//! that the parameter explains alone, Var(E[μ | x_j])/Var(μ), with all parameters spread evenly over their ranges and constraints
//! left out. μ is in the model's own units, after the warp, so that a few bad values do not count for all. What is missing to 1 is due
//! to parameters together. The index is estimated from a Latin hypercube as the share of variance between strata, without its bias
//! (Hays' ω²).

use crate::axis::Axis;
use crate::colour::{BLUE, PALE};
use crate::error::Result;
use crate::panel::{LABEL, Panel, TICK};
use crate::sheet::{Anchor, Area, Sheet, cut};
use crate::view::View;
use fathom_study::{Kind, Parameter, Value};

/// Points of the hypercube.
const POINTS: usize = 2048;

/// Strata of a parameter with many values.
const STRATA: usize = 16;

/// Parameters that are drawn; the others are counted.
const MOST: usize = 14;

/// The importance of each free parameter, in the order of the space.
pub fn importances(view: &View) -> Result<Vec<(&Parameter, f64)>> {
    let (model, free) = (view.model()?, view.free());
    let mut lots = Lots(0x5eed);
    let columns: Vec<Vec<f64>> = free.iter().map(|_| column(&mut lots)).collect();
    let mut means = Vec::with_capacity(POINTS);
    for i in 0..POINTS {
        let values: Vec<Value> =
            free.iter().zip(&columns).map(|(parameter, column)| value_at(parameter, column[i])).collect();
        let to: Vec<(&Parameter, &Value)> = free.iter().copied().zip(&values).collect();
        means.push(model.scaled_mean(&view.moved(&to)?)?);
    }
    let share = |(parameter, column): (&&'_ Parameter, &Vec<f64>)| {
        let count = strata(parameter);
        let stratum = |t: &f64| ((t * count as f64) as usize).min(count - 1);
        explained(&means, &column.iter().map(stratum).collect::<Vec<_>>(), count)
    };
    let shares: Vec<f64> = free.iter().zip(&columns).map(share).collect();
    Ok(free.into_iter().zip(shares).collect())
}

/// The share of the variance of `values` that is between strata, without the part that chance explains.
fn explained(values: &[f64], strata: &[usize], count: usize) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let (mut sums, mut sizes) = (vec![0.0; count], vec![0.0; count]);
    for (value, stratum) in values.iter().zip(strata) {
        sums[*stratum] += value - mean;
        sizes[*stratum] += 1.0;
    }
    let between: f64 =
        sums.iter().zip(&sizes).filter(|(_, size)| **size > 0.0).map(|(sum, size)| sum * sum / size).sum();
    let within = (total - between) / (n - count as f64);
    if total <= 0.0 { 0.0 } else { ((between - (count as f64 - 1.0) * within) / (total + within)).clamp(0.0, 1.0) }
}

fn strata(parameter: &Parameter) -> usize {
    match parameter.kind.choices() {
        Some(choices) => choices.len(),
        None => parameter.kind.count().map_or(STRATA, |count| count.min(STRATA)),
    }
}

/// The value a part `t` of the way through a parameter's range.
fn value_at(parameter: &Parameter, t: f64) -> Value {
    match &parameter.kind {
        Kind::Float { .. } => Value::Float(Axis::of(parameter).at(t)),
        Kind::Integer { .. }
        | Kind::Grid(_)
        | Kind::Listed(_)
        | Kind::Categorical { .. }
        | Kind::Ordered { .. }
        | Kind::Fixed { .. } => parameter.kind.value((t * parameter.kind.count().unwrap_or(1) as f64) as usize),
    }
}

/// Numbers in [0, 1), one in each of as many equal strata, in random order.
fn column(lots: &mut Lots) -> Vec<f64> {
    let mut order: Vec<usize> = (0..POINTS).collect();
    for i in (1..POINTS).rev() {
        order.swap(i, (lots.draw() % (i as u64 + 1)) as usize);
    }
    order.into_iter().map(|i| (i as f64 + 0.5) / POINTS as f64).collect()
}

/// Steele, Lea and Flood's SplitMix64: the same picture for the same study.
struct Lots(u64);

impl Lots {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

pub fn draw(view: &View, sheet: &mut Sheet, area: Area) -> Result<()> {
    let mut sorted = importances(view)?;
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let alone: f64 = sorted.iter().map(|(_, share)| share).sum();
    let left_out = sorted.len().saturating_sub(MOST);
    let mut rows: Vec<(String, f64, bool)> =
        sorted.iter().take(MOST).map(|(parameter, share)| (parameter.name.clone(), *share, true)).collect();
    if left_out > 0 {
        let rest = sorted[MOST..].iter().map(|(_, share)| share).sum();
        rows.push((format!("{left_out} others"), rest, true));
    }
    if sorted.len() > 1 {
        rows.push(("together".into(), (1.0 - alone).max(0.0), false));
    }
    let area = Area { left: area.left + 70.0, width: area.width - 70.0, ..area };
    let panel = Panel {
        area,
        x: Axis::linear("share of the variance of what the model expects", 0.0, 1.0),
        y: Axis { label: String::new(), ..Axis::of_choices("", &vec![String::new(); rows.len()]) },
    };
    let height = 0.62 * area.height / rows.len() as f64;
    for (i, (name, share, is_alone)) in rows.iter().enumerate() {
        let middle = area.top + (i as f64 + 0.5) * area.height / rows.len() as f64;
        let bar = Area { left: area.left, top: middle - 0.5 * height, width: share.min(1.0) * area.width, height };
        sheet.rectangle(bar, if *is_alone { BLUE } else { PALE });
        let percent = if *share < 0.005 { "< 1 %".into() } else { format!("{:.0} %", 100.0 * share) };
        sheet.text((bar.right() + 8.0, middle + 5.0), &percent, LABEL, Anchor::Start);
        sheet.text((area.left - 10.0, middle + 5.0), &cut(name, TICK, 140.0), TICK, Anchor::End);
    }
    panel.frame(sheet);
    let details = "what each parameter explains alone, over the whole ranges (Sobol' index); “together” is what none explains alone";
    panel.title(sheet, &format!("{}: which parameters matter", view.definition.name), details);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_explained_by_its_parts_and_a_product_by_none() {
        let mut lots = Lots(1);
        let (a, b) = (column(&mut lots), column(&mut lots));
        let strata: Vec<usize> = a.iter().map(|t| (t * STRATA as f64) as usize).collect();
        let of = |f: fn(f64, f64) -> f64| {
            let values: Vec<f64> = a.iter().zip(&b).map(|(a, b)| f(*a - 0.5, *b - 0.5)).collect();
            explained(&values, &strata, STRATA)
        };
        // Var(2a) = 4 Var(b): four fifths are a's.
        assert!((of(|a, b| 2.0 * a + b) - 0.8).abs() < 0.01, "{}", of(|a, b| 2.0 * a + b));
        assert!(of(|a, b| a * b) < 0.01, "{}", of(|a, b| a * b));
        assert_eq!(of(|_, _| 1.0), 0.0);
    }
}
