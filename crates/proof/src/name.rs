//! Closed sets of things that have names, and how the names are read and written.

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{name}`: use {}", listed(.known))]
pub struct UnknownName {
    /// What was looked for.
    pub what: &'static str,
    /// By which name.
    pub name: String,
    /// The names that there are.
    pub known: Vec<&'static str>,
}

/// `a, b or c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".into(),
        [one] => (*one).into(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// An enum whose variants have names. Files are read and written by those names and no others (`serde`); what people type
/// may have a hyphen in place of an underscore (`FromStr`, `parse_among`).
macro_rules! names {
    ($(#[$about:meta])* $set:ident: $what:literal { $($(#[$doc:meta])* $thing:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $set {
            $($(#[$doc])* $thing,)+
        }

        impl $set {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$thing,)+];

            /// Its name in files.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$thing => $name,)+
                }
            }

            /// The one among those that `is_meant` which people call `name`.
            pub fn parse_among(name: &str, is_meant: impl Fn(Self) -> bool) -> Result<Self, $crate::name::UnknownName> {
                let meant = || Self::ALL.iter().copied().filter(|one| is_meant(*one));
                let written = name.replace('-', "_");
                meant().find(|one| one.as_str() == written).ok_or_else(|| $crate::name::UnknownName {
                    what: $what,
                    name: name.into(),
                    known: meant().map(Self::as_str).collect(),
                })
            }
        }

        impl std::fmt::Display for $set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $set {
            type Err = $crate::name::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::parse_among(name, |_| true)
            }
        }

        impl serde::Serialize for $set {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $set {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                let known = Self::ALL.iter().copied().map(Self::as_str).collect();
                let unknown = || $crate::name::UnknownName { what: $what, name: name.to_string(), known };
                let found = Self::ALL.iter().copied().find(|one| one.as_str() == name);
                found.ok_or_else(|| serde::de::Error::custom(unknown()))
            }
        }
    };
}

pub(crate) use names;

#[cfg(test)]
mod tests {
    use crate::{CriterionName, KernelName};

    #[test]
    fn every_name_is_read_back_and_none_is_given_twice() {
        for (at, kernel) in KernelName::ALL.iter().enumerate() {
            let text = serde_json::to_string(kernel).unwrap();
            assert_eq!(text, format!("\"{kernel}\""));
            assert_eq!(serde_json::from_str::<KernelName>(&text).unwrap(), *kernel);
            assert_eq!(kernel.as_str().parse(), Ok(*kernel));
            assert!(KernelName::ALL[..at].iter().all(|other| other.as_str() != kernel.as_str()));
        }
        for (at, criterion) in CriterionName::ALL.iter().enumerate() {
            assert_eq!(criterion.as_str().parse(), Ok(*criterion));
            assert!(CriterionName::ALL[..at].iter().all(|other| other.as_str() != criterion.as_str()));
        }
    }

    #[test]
    fn people_may_write_hyphens_and_files_may_not() {
        assert_eq!("log-ei".parse(), Ok(CriterionName::LogEi));
        assert!(serde_json::from_str::<CriterionName>("\"log-ei\"").is_err());
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = KernelName::parse_among("cubic", |name| name.as_str().starts_with('r')).unwrap_err();
        assert_eq!(error.to_string(), "there is no kernel `cubic`: use rbf or rq");
        let error = serde_json::from_str::<CriterionName>("\"ucb\"").unwrap_err().to_string();
        assert!(error.starts_with("there is no acquisition function `ucb`: use lcb, mean, "), "{error}");
    }
}
