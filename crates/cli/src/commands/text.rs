//! How numbers are written for people.

/// The coordinates of a point.
pub fn coordinates(x: &[f64]) -> String {
    let written: Vec<String> = x.iter().map(|x| format!("{x:.6}")).collect();
    format!("({})", written.join(", "))
}
