//! Names that every format and solver keeps as they are.
//!
//! LP readers take `e7` for an exponent, `st` and `free` for key words, and spaces or operators for the end of a name.

use crate::error::{Error, Result};

/// The fixed column that carries the objective's constant in LP files, because readers do not agree on bare numbers.
pub(crate) const CONSTANT: &str = "objective_constant";

/// CPLEX's limit for the length of a name.
const LONGEST: usize = 255;

const RESERVED: [&str; 36] = [
    "bin",
    "binaries",
    "binary",
    "bound",
    "bounds",
    "end",
    "free",
    "gen",
    "general",
    "generals",
    "inf",
    "infinity",
    "int",
    "integer",
    "integers",
    "max",
    "maximise",
    "maximize",
    "maximum",
    "min",
    "minimise",
    "minimize",
    "minimum",
    "obj",
    "objective",
    CONSTANT,
    "pwl",
    "quadobjvar",
    "rhs",
    "s.t.",
    "sos",
    "sos1",
    "sos2",
    "st",
    "subject",
    "such",
];

/// `name`, if every writer and reader keeps it.
pub(crate) fn checked(name: &str) -> Result<&str> {
    let bad = |reason| Err(Error::BadName { name: name.to_string(), reason });
    let mut bytes = name.bytes();
    let Some(first) = bytes.next() else { return bad("it is empty") };
    if name.len() > LONGEST {
        return bad("it is longer than 255 bytes");
    }
    if !(first.is_ascii_alphabetic() || first == b'_') {
        return bad("it must begin with a letter or `_`");
    }
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.') {
        return bad("only ASCII letters, digits, `_` and `.` are kept by every solver");
    }
    let second = name.as_bytes().get(1).copied();
    if first.eq_ignore_ascii_case(&b'e') && second.is_none_or(|byte| byte.is_ascii_digit()) {
        return bad("LP readers take it for an exponent");
    }
    if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        return bad("it is a word of the LP format or of a solver");
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_paper_pass_and_misleading_names_do_not() {
        for name in ["x_1", "K_xX_12", "w_1_0", "lambda_1_2", "mu", "sigma", "eps", "_t", "a.b"] {
            assert!(checked(name).is_ok(), "{name}");
        }
        for name in ["", "1x", "e5", "E", "free", "ST", "a b", "x^2", "µ", "a-b", &"n".repeat(256)] {
            assert!(checked(name).is_err(), "{name}");
        }
    }
}
