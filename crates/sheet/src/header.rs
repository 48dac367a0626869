//! Headers as people write them, and the names that they stand for.

/// The ways to read a header: as it is, and without a unit at its end. Case, blanks and signs do not count.
pub(crate) fn readings(header: &str) -> Vec<String> {
    let header = header.trim();
    let mut texts = vec![header];
    if let Some(rest) = header.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        texts.push(rest.0);
    }
    if let Some(rest) = header.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        texts.push(rest.0);
    }
    // The standards of laboratories write a quantity over its unit: T / °C.
    texts.extend([" / ", "/", ", ", " in "].iter().filter_map(|mark| header.rsplit_once(mark)).map(|(name, _)| name));
    let mut readings: Vec<String> = texts.into_iter().map(folded).filter(|reading| !reading.is_empty()).collect();
    readings.dedup();
    readings
}

/// Letters and digits alone, small.
fn folded(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a header may stand for a name.
pub(crate) fn stands_for(header: &str, name: &str) -> bool {
    let names = readings(name);
    readings(header).iter().any(|reading| names.contains(reading))
}

#[cfg(test)]
mod tests {
    use super::stands_for;

    #[test]
    fn units_case_and_blanks_do_not_count() {
        for header in [
            "temperature",
            "Temperature",
            " TEMPERATURE ",
            "Temperature (°C)",
            "Temperature [°C]",
            "temperature(K)",
            "Temperature / °C",
            "Temperature in °C",
            "Temperature, °C",
            "tempera\u{a0}ture",
        ] {
            assert!(stands_for(header, "temperature"), "{header}");
        }
        assert!(stands_for("Reaction Time [h]", "reaction_time") && stands_for("Yield (%)", "Yield"));
        for header in ["temp", "temperature 2", "(temperature)x", "°C", "", "time (temperature)"] {
            assert!(!stands_for(header, "temperature"), "{header}");
        }
    }
}
