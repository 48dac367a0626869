//! Numbers for people.

/// Seconds in the unit that suits them.
pub(crate) fn human(seconds: f64) -> String {
    match seconds {
        s if s < 1e-4 => format!("{} ms", digits(s * 1e3, 3)),
        s if s < 1e-2 => format!("{} ms", digits(s * 1e3, 2)),
        s if s < 1.0 => format!("{} ms", digits(s * 1e3, 1)),
        s => format!("{} s", digits(s, 2)),
    }
}

/// With at most so many decimals.
fn digits(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// So many of a thing.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// From one input to so many.
pub(crate) fn dimensions(most: usize) -> String {
    if most == 1 { "1D".into() } else { format!("1D to {most}D") }
}

/// Bytes in the unit that suits them.
pub(crate) fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b => format!("{:.1} MB", b / 1e6),
    }
}
