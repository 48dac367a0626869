//! Where a store is. An address can hold a password, so an address is shown without any part that may be one. Nobody can
//! print a password by mistake: outside this crate, the only part of an address to be had is the path of a file.

use std::fmt;
use std::path::Path;

/// Options of PostgreSQL addresses that are shown with their values.
const SHOWN: [&str; 14] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "port",
    "sslmode",
    "sslnegotiation",
    "sslrootcert",
    "target_session_attrs",
    "user",
];

/// Options that are shown by their names alone. An option with another name may be the rest of a password.
const NAMED: [&str; 4] = ["options", "passfile", "password", "sslpassword"];

/// The mark in place of a part that is not shown.
const HIDDEN: &str = "…";

/// The address of a store: `sqlite:///absolute/path`, `sqlite://relative/path`, `postgres://…`, or `memory:`.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// The address as somebody typed it.
    pub fn new(typed: &str) -> Self {
        Self(typed.to_owned())
    }

    /// The address of the file at `path`.
    pub fn of_file(path: &Path) -> Self {
        Self(format!("sqlite://{}", path.display()))
    }

    /// The file, if the store is kept in one. (`file:` begins one of SQLite's own addresses, whose file is not known.)
    pub fn file(&self) -> Option<&Path> {
        self.sqlite().filter(|path| !path.starts_with("file:")).map(Path::new)
    }

    pub(crate) fn is_memory(&self) -> bool {
        self.0 == "memory:"
    }

    /// What SQLite is told to open.
    pub(crate) fn sqlite(&self) -> Option<&str> {
        self.0.strip_prefix("sqlite://").filter(|path| !path.is_empty())
    }

    /// What follows the scheme of a PostgreSQL address, secrets included.
    pub(crate) fn postgres(&self) -> Option<&str> {
        self.0.strip_prefix("postgres://").or_else(|| self.0.strip_prefix("postgresql://"))
    }
}

impl<T: AsRef<str> + ?Sized> From<&T> for Address {
    fn from(typed: &T) -> Self {
        Self::new(typed.as_ref())
    }
}

impl From<&Self> for Address {
    fn from(address: &Self) -> Self {
        address.clone()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_memory() || self.sqlite().is_some() {
            return f.write_str(&self.0);
        }
        if let (Some(rest), Some((scheme, _))) = (self.postgres(), self.0.split_once("://")) {
            return write!(f, "{scheme}://{}", shown(rest));
        }
        // The address is of no kind that we know: it is a mistake, and a password may stand anywhere in it.
        match self.0.split_once("://") {
            Some((scheme, rest)) if is_plain(scheme) => {
                write!(f, "{scheme}://{}", if is_plain(rest) { rest } else { HIDDEN })
            }
            None if is_plain(&self.0) => f.write_str(&self.0),
            Some(_) | None => f.write_str(HIDDEN),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// Whether a text has only the characters of paths and hosts: `user:password@` and `password=` have others.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || "/._-+~\\".contains(c))
}

/// A PostgreSQL address without its scheme and secrets. A password may hold any character, unescaped ones included, so the
/// text before the last @ is taken for user and password, and every option after the @ is looked at.
fn shown(rest: &str) -> String {
    let (user, rest) = match rest.rsplit_once('@') {
        Some((before, after)) => (Some(before.split([':', '/', '?', '&', '=', '@']).next().unwrap_or_default()), after),
        None => (None, rest),
    };
    let mut parts = rest.split(['?', '&']);
    let place = parts.next().unwrap_or_default();
    let (hosts, database) = match place.split_once('/') {
        Some((hosts, database)) => (hosts, Some(database)),
        None => (place, None),
    };
    let mut text = user.map(|user| format!("{user}@")).unwrap_or_default();
    text += &hosts.split(',').map(host).collect::<Vec<_>>().join(",");
    if let Some(database) = database {
        text += &format!("/{database}");
    }
    for (i, option) in parts.enumerate() {
        text.push(if i == 0 { '?' } else { '&' });
        text += &match option.split_once('=') {
            Some((name, value)) if SHOWN.contains(&name) => format!("{name}={value}"),
            Some((name, _)) if NAMED.contains(&name) => format!("{name}={HIDDEN}"),
            Some(_) | None => HIDDEN.to_owned(),
        };
    }
    text
}

/// A host and its port. A text that is no port may be a password whose host was forgotten.
fn host(text: &str) -> String {
    let is_port = |port: &str| port.chars().all(|c| c.is_ascii_digit());
    match text.rsplit_once(':') {
        Some((host, port)) if is_port(port) && (host.starts_with('[') || !host.contains(':')) => text.to_owned(),
        Some(_) if text.starts_with('[') && text.ends_with(']') => text.to_owned(),
        Some((host, _)) => format!("{}:{HIDDEN}", host.split(':').next().unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_of_an_address_shows_its_password() {
        for address in [
            "postgres://ann:SECRET@host/db",
            "postgresql://ann:SECRET@host:5432/db?sslmode=require",
            "postgres://ann:SECRET@1.2.3.4:5432,other:5433/db",
            "postgres://ann:a@SECRET@host/db",
            "postgres://ann:a/SECRET@host/db",
            "postgres://ann:a?SECRET@host/db",
            "postgres://ann:a&b=SECRET@host/db",
            "postgres://ann:a%40SECRET@host/db",
            "postgres://ann:SECRET",
            "postgres://ann:12:SECRET",
            "postgres://host/db?user=ann&password=SECRET",
            "postgres://host/db?user=a@b&password=SECRET",
            "postgres://host/db?PASSWORD=SECRET",
            "postgres://host/db?pass%77ord=SECRET",
            "postgres://host/db?sslpassword=SECRET&passfile=SECRET",
            "postgres://host/db?password=a&SECRET",
            "postgres://host/db?password=a&SECRET=1",
            "postgres://host/db?options=-c%20x=SECRET",
            "postgre://ann:SECRET@host/db",
            "postgres:/ann:SECRET@host/db",
            "postgres//ann:SECRET@host/db",
            "mysql://host?password=SECRET",
            "host=h user=ann password=SECRET",
            "Postgres://ann:SECRET@host/db",
            " postgres://ann:SECRET@host/db",
        ] {
            let address = Address::new(address);
            for text in [address.to_string(), format!("{address:?}"), format!("{address:#?}")] {
                assert!(!text.contains("SECRET"), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_secret_is_shown() {
        for (typed, shown) in [
            ("memory:", "memory:"),
            ("sqlite:///a/b c:d@e.db", "sqlite:///a/b c:d@e.db"),
            ("postgres://ann@host:5432/db", "postgres://ann@host:5432/db"),
            ("postgres://ann:x@[::1]:5432/db?sslmode=require", "postgres://ann@[::1]:5432/db?sslmode=require"),
            ("postgres://h/db?password=x&connect_timeout=5", "postgres://h/db?password=…&connect_timeout=5"),
            ("mysql://here", "mysql://here"),
            ("mine.db", "mine.db"),
        ] {
            assert_eq!(Address::new(typed).to_string(), shown);
        }
    }
}
