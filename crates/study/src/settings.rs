//! A study that a program puts together: the keys of a study file as objects, not as a text.
//!
//! A store keeps a text, so the keys are written as a text, which is then read as every study file is. An error names the
//! key, because nobody has seen the lines.

use crate::definition::Definition;
use crate::error::{Error, Result};
use toml::de::DeTable;

/// The keys of a study file, in their order.
pub type Settings = toml::Table;

/// The value of a key.
pub type Setting = toml::Value;

impl Definition {
    /// A table of settings.
    pub fn new(settings: &Settings) -> Result<Self> {
        let text = toml::to_string(settings)
            .map_err(|error| Error::BadSetting { key: String::new(), reason: error.to_string() })?;
        match Self::parse(&text) {
            Err(Error::File { line, column, message }) => {
                Err(Error::BadSetting { key: key_at(&text, offset(&text, line, column)), reason: message })
            }
            definition => definition,
        }
    }
}

/// The byte at a line and a column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let within: usize = text[before..].chars().take(column - 1).map(char::len_utf8).sum();
    before + within
}

/// The key that stands, or whose setting stands, at a byte of the text: `strategy.noise`.
fn key_at(text: &str, at: usize) -> String {
    let table = DeTable::parse(text).ok();
    // A mistake of the whole file has the place of its beginning.
    let path = table.filter(|_| at > 0).and_then(|table| path_to(table.get_ref(), at));
    path.unwrap_or_default().join(".")
}

fn path_to(table: &DeTable<'_>, at: usize) -> Option<Vec<String>> {
    table.iter().find_map(|(name, setting)| {
        let below = setting.get_ref().as_table().and_then(|table| path_to(table, at));
        let is_here = name.span().contains(&at) || setting.span().contains(&at);
        let here = name.get_ref().to_string();
        match below {
            Some(below) => Some([vec![here], below].concat()),
            None => is_here.then(|| vec![here]),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        toml::from_str(text).unwrap()
    }

    const SPACE: &str =
        "[parameters]\nb = { type = 'float', low = 0, high = 1 }\na = { type = 'fixed', value = 'ü \\x7f' }\n";

    #[test]
    fn settings_become_a_text_that_says_the_same_in_the_same_order() {
        let definition =
            Definition::new(&settings(&format!("name = 'mine'\n{SPACE}[strategy]\nnoise = 1e-300"))).unwrap();
        assert_eq!(Definition::parse(definition.text()).unwrap(), definition);
        let names: Vec<&str> = definition.space.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!((names, definition.name.as_str()), (vec!["b", "a"], "mine"));
    }

    #[test]
    fn a_mistake_is_named_by_its_key() {
        for (text, key) in [
            ("[strategy]\nnoise = true", "strategy.noise"),
            ("[strategy]\nkernal = 'rbf'", "strategy.kernal"),
            ("[strategy]\ngroups = [['b', 'c']]", "strategy"),
            ("[stop]\ntrials = -3", "stop.trials"),
            ("[evaluate]\nfunction = 'nobody'", "evaluate"),
            ("[parameters.c]\ntype = 'float'\nlow = 3\nhigh = 1", "parameters.c"),
            ("[parameters.c]\ntype = 'float'\nlow = 'a'", "parameters.c.low"),
        ] {
            match Definition::new(&settings(&format!("{SPACE}{text}"))) {
                Err(Error::BadSetting { key: found, reason }) => assert_eq!(found, key, "{reason}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let mistake = Definition::new(&settings(&format!("constraints = ['b <= 2', 'b <= q']\n{SPACE}"))).unwrap_err();
        assert!(mistake.to_string().starts_with("`constraints`: ") && mistake.to_string().contains('q'), "{mistake}");
    }
}
