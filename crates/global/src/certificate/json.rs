//! Certificates as JSON: every bit is kept, and text that is no certificate is refused.

use super::Certificate;
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the format that this library writes and reads: 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Version;

impl Version {
    const KNOWN: u64 = 1;
}

impl From<Version> for u64 {
    fn from(_: Version) -> Self {
        Version::KNOWN
    }
}

impl TryFrom<u64> for Version {
    type Error = String;

    fn try_from(version: u64) -> std::result::Result<Self, String> {
        if version == Self::KNOWN { Ok(Self) } else { Err(format!("{version} is not known, only {}", Self::KNOWN)) }
    }
}

/// The fields that every version has.
#[derive(Deserialize)]
struct Head {
    #[expect(dead_code, reason = "reading it is the check")]
    version: Version,
}

/// An optional value whose field must be present: `null` is a value, a missing field is an error.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> std::result::Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

/// Writes ∞ as `null`.
pub(super) fn finite_or_null<S: Serializer>(value: &f64, to: S) -> std::result::Result<S::Ok, S::Error> {
    Some(*value).filter(|value| *value < f64::INFINITY).serialize(to)
}

/// Reads `null` as ∞.
pub(super) fn null_is_infinite<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}

impl Certificate {
    /// The certificate as one line of JSON. It is refused if a number is not finite, which JSON cannot say, or if
    /// fields contradict each other.
    pub fn to_json(&self) -> Result<String> {
        self.validated()?;
        serde_json::to_string(self).map_err(|error| refused("", error.to_string()))
    }

    /// Reads what [`Certificate::to_json`] wrote; unknown fields are ignored.
    pub fn from_json(text: &str) -> Result<Self> {
        // The version comes first, since another version may differ in everything else.
        parse::<Head>(text)?;
        let certificate: Self = parse(text)?;
        certificate.validated()?;
        Ok(certificate)
    }

    fn validated(&self) -> Result<()> {
        let finite = |field: &str, value: f64| match value.is_finite() {
            true => Ok(()),
            false => Err(refused(field, format!("{value} is not finite"))),
        };
        for x in &self.x {
            finite("x", *x)?;
        }
        for (field, value) in [
            ("value", Some(self.value).filter(|_| self.value != f64::INFINITY)),
            ("lower_bound", self.lower_bound),
            ("gap", self.gap),
            ("relative_gap", self.relative_gap),
            ("seconds", Some(self.seconds)),
            ("settings.gap", Some(self.settings.gap)),
            ("settings.relative_gap", Some(self.settings.relative_gap)),
            ("settings.time_limit", self.settings.time_limit),
            ("repairs.jitter", Some(self.repairs.jitter)),
        ] {
            value.map_or(Ok(()), |value| finite(field, value))?;
        }
        for point in &self.pool {
            finite("pool", point.value)?;
            for x in &point.x {
                finite("pool", *x)?;
            }
        }
        if self.pool.iter().any(|point| point.x.len() != self.x.len()) {
            return Err(refused("pool", "its points and `x` are not of the same length".into()));
        }
        if self.pool.first().is_some_and(|first| first.x != self.x || first.value != self.value) {
            return Err(refused("pool", "it does not begin with the best point".into()));
        }
        if !self.pool.is_sorted_by(|a, b| a.value <= b.value) {
            return Err(refused("pool", "its values are not in order".into()));
        }
        if (self.value == f64::INFINITY) != self.x.is_empty() {
            return Err(refused("value", "it is null if and only if there is no point".into()));
        }
        if self.lower_bound.is_some_and(|bound| bound > self.value) {
            return Err(refused("lower_bound", "it is above the value".into()));
        }
        if self.gap != Self::difference(self.value, self.lower_bound) {
            return Err(refused("gap", "it is not value − lower_bound".into()));
        }
        if self.relative_gap != Self::relative(self.gap, self.value) {
            return Err(refused("relative_gap", "it is not gap / |value|".into()));
        }
        Ok(())
    }
}

fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let found = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| refused(&error.path().to_string(), error.inner().to_string()))?;
    json.end().map_err(|error| refused("", error.to_string()))?;
    Ok(found)
}

fn refused(field: &str, reason: String) -> Error {
    // The path of the whole text is a dot.
    let field = Some(field).filter(|field| !["", "."].contains(field)).map(String::from);
    Error::BadCertificate { field, reason }
}

/// For fields that are left out if they are zero.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
