//! Dates, without a calendar of our own: days since 1970 in the Gregorian one.

/// Year, month and day of a day since 1970 (Howard Hinnant's algorithm).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * shifted + 2) / 5 + 1)
}

/// Seconds since 1970 as ISO 8601 in UTC, to the microsecond.
pub(crate) fn moment(seconds: f64) -> String {
    let micros = (seconds * 1e6).round() as i64;
    let (whole, rest) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (year, month, day) = civil(whole.div_euclid(86_400));
    let time = whole.rem_euclid(86_400);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{rest:06}Z", time / 3600, time / 60 % 60, time % 60)
}

/// A day of a spreadsheet, with the part of it that has gone by; from 1900 or from 1904.
pub(crate) fn serial(days: f64, since_1904: bool) -> String {
    if !(0.0..3e6).contains(&days) {
        return days.to_string();
    }
    // Excel has a 29 February 1900; nobody's experiments are that old.
    let shift = if since_1904 { 24_107 } else { 25_569 };
    let seconds = (days * 86_400.0).round() as i64;
    let (year, month, day) = civil(seconds.div_euclid(86_400) - shift);
    let time = seconds.rem_euclid(86_400);
    let clock = format!("{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
    match (seconds < 86_400, time) {
        (true, _) => clock,
        (false, 0) => format!("{year:04}-{month:02}-{day:02}"),
        (false, _) => format!("{year:04}-{month:02}-{day:02} {clock}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(moment(0.0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(moment(1_795_012_032.25), "2026-11-18T14:27:12.250000Z");
        assert_eq!(moment(951_782_400.0), "2000-02-29T00:00:00.000000Z");
        assert_eq!(serial(46_143.0, false), "2026-05-01");
        assert_eq!(serial(46_143.5 - 1462.0, true), "2026-05-01 12:00:00");
        assert_eq!(serial(0.25, false), "06:00:00");
    }
}
