//! A statement and what is claimed of it, for people to read.

use crate::proof::Conclusion;
use crate::row::StatedRow;
use crate::statement::{StatedNegative, StatedTerm, Statement};
use std::fmt::{self, Display, Formatter};

/// So many inputs, rows or lengthscales are listed one by one; of more, the first.
const LISTED: usize = 12;

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            writeln!(f, "problem       {}", self.name.escape_debug())?;
        }
        writeln!(f, "function      {}", self.acquisition)?;
        for (at, term) in self.terms.iter().enumerate() {
            let head = if at == 0 { "kernel        " } else { "            + " };
            writeln!(f, "{head}{}", described(term, &self.lengthscales, self.dim()))?;
        }
        match self.negative_variance {
            Some(StatedNegative::Clamped) => writeln!(f, "              a negative variance counts as 0")?,
            Some(StatedNegative::Excluded) => {
                writeln!(f, "              points with a negative variance do not count")?;
            }
            None => {}
        }
        write!(f, "noise         σ_ε² = {}", self.noise)?;
        if self.jitter != 0.0 {
            write!(f, ", and {} added so that the matrix could be factorised", self.jitter)?;
        }
        writeln!(f, "\nprior mean    {}", self.mean)?;
        let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        writeln!(f, "data          {} of {}", plural(self.y.len(), "observation"), plural(self.dim(), "input"))?;
        for (j, (lower, upper)) in self.bounds.iter().enumerate().take(LISTED) {
            let head = if j == 0 { "region        " } else { "              " };
            let whole = if self.integers.contains(&j) { ", whole numbers" } else { "" };
            let listed = self.values.iter().find(|(input, _)| *input == j);
            let listed = listed.map_or(String::new(), |(_, numbers)| format!(", one of {}", some_of(numbers)));
            writeln!(f, "{head}{lower} <= x{j} <= {upper}{whole}{listed}")?;
        }
        rest(f, self.bounds.len())?;
        for row in self.rows.iter().take(LISTED) {
            writeln!(f, "              {row}")?;
        }
        rest(f, self.rows.len())
    }
}

/// All of a few numbers, the first and the last of many.
fn some_of(numbers: &[f64]) -> String {
    let text = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    match numbers {
        few if few.len() <= LISTED => text(few),
        many => format!("{} numbers: {}, …, {}", many.len(), text(&many[..3]), many[many.len() - 1]),
    }
}

fn rest(f: &mut Formatter<'_>, count: usize) -> fmt::Result {
    if count > LISTED { writeln!(f, "              … and {} more", count - LISTED) } else { Ok(()) }
}

fn described(term: &StatedTerm, lengthscales: &[f64], dim: usize) -> String {
    let own: Vec<String> = term
        .inputs
        .iter()
        .take(LISTED)
        .map(|input| lengthscales.get(*input).map_or("?".into(), f64::to_string))
        .collect();
    let more = if term.inputs.len() > LISTED { ", …" } else { "" };
    let names: Vec<String> = term.inputs.iter().take(LISTED).map(|input| format!("x{input}")).collect();
    let of = if term.inputs.len() == dim { String::new() } else { format!(" of {}{more}", names.join(", ")) };
    format!("{}{of}, σ_f² = {}, lengthscales {}{more}", term.kernel, term.variance, own.join(", "))
}

impl StatedRow {
    /// The row for people to read, with the name of each input.
    pub fn text(&self, name: impl Fn(usize) -> String) -> String {
        let linear = self.linear.iter().map(|(j, c)| (*c, name(*j)));
        let product = |j: usize, k: usize| if j == k { name(j) + "²" } else { format!("{}·{}", name(j), name(k)) };
        let quadratic = self.quadratic.iter().map(|(j, k, q)| (*q, product(*j, *k)));
        let terms: Vec<(f64, String)> = linear.chain(quadratic).collect();
        let mut text = String::new();
        for (at, (factor, of)) in terms.iter().enumerate().take(LISTED) {
            let sign = match (at, *factor < 0.0) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => " + ",
                (_, true) => " − ",
            };
            let size = factor.abs();
            text += &if size == 1.0 { format!("{sign}{of}") } else { format!("{sign}{size} {of}") };
        }
        if terms.is_empty() {
            text.push('0');
        }
        if terms.len() > LISTED {
            text += " + …";
        }
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if lower == upper => format!("{text} = {lower}"),
            (Some(lower), Some(upper)) => format!("{lower} <= {text} <= {upper}"),
            (None, Some(upper)) => format!("{text} <= {upper}"),
            (Some(lower), None) => format!("{text} >= {lower}"),
            (None, None) => format!("{text} is anything"),
        }
    }
}

impl Display for StatedRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|input| format!("x{input}")))
    }
}

impl Display for Conclusion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(bound) = self.lower_bound else {
            return write!(f, "No point of the region satisfies the constraints.");
        };
        write!(f, "No point of the region has a value below {bound}")?;
        match (&self.point, self.value) {
            (Some(point), Some(value)) => {
                let coordinates: Vec<String> = point.iter().map(f64::to_string).collect();
                write!(f, ", and the point ({}) has the value {value}.", coordinates.join(", "))
            }
            (None | Some(_), _) => write!(f, "."),
        }
    }
}
