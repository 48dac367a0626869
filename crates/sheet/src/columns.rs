//! Which column is what.

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::formula::text_of;
use crate::grid::{Grid, letters};
use crate::header::stands_for;
use crate::names::{column, further};
use crate::options::Options;
use fathom_study::{Kind, OBJECTIVE, Parameter, Space};
use std::fmt;

/// What a column is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// The values of a parameter.
    Parameter(String),
    /// The values that were told, by name.
    Value(String),
    /// What became of the experiment.
    State,
    /// Why it failed.
    Message,
    /// What chose the point; in tables that a study was written to.
    Origin,
    /// The trial's number, which gives the order; in such tables.
    Trial,
    /// Nothing that is needed.
    Ignored,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(name) => write!(f, "parameter {name}"),
            Self::Value(name) if name == OBJECTIVE => f.write_str("the value"),
            Self::Value(name) => write!(f, "the value {name}"),
            Self::State => f.write_str("state"),
            Self::Message => f.write_str("message"),
            Self::Origin => f.write_str("origin"),
            Self::Trial => f.write_str("trial"),
            Self::Ignored => f.write_str("ignored"),
        }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its letters in a spreadsheet.
    pub letters: String,
    /// Its header as it is written; empty if it has none.
    pub header: String,
    /// What it is.
    pub role: Role,
}

/// The columns of a table, in their order.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    pub all: Vec<Column>,
    /// Places of parameters.
    pub parameters: Vec<(usize, &'a Parameter)>,
    /// Places of values, the objective first.
    pub values: Vec<(usize, String)>,
    pub state: Option<usize>,
    pub message: Option<usize>,
    pub origin: Option<usize>,
    pub trial: Option<usize>,
}

/// The headers, and what is known of each so far.
struct Finder {
    headers: Vec<String>,
    roles: Vec<Option<Role>>,
}

impl Finder {
    /// The free column that `header` names to the letter, else the one that it may name.
    fn named(&self, header: &str, what: &str, option: &str) -> Result<Option<usize>> {
        let free = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..self.headers.len()).filter(|at| self.roles[*at].is_none() && is_it(&self.headers[*at])).collect()
        };
        let exact = free(&|own| own == header.trim());
        let found = if exact.is_empty() { free(&|own| stands_for(own, header)) } else { exact };
        match &found[..] {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            [first, second, ..] => Err(Error::TwoColumns {
                role: what.to_owned(),
                first: self.headers[*first].clone(),
                second: self.headers[*second].clone(),
                option: option.to_owned(),
            }),
        }
    }

    fn exact(&self, header: &str) -> Option<usize> {
        (0..self.headers.len()).find(|at| self.roles[*at].is_none() && self.headers[*at] == header)
    }

    fn give(&mut self, at: usize, role: Role) {
        self.roles[at] = Some(role);
    }

    /// Gives the role to the column of a header that somebody named.
    fn give_named(&mut self, header: &str, role: Role, what: &str, option: &str) -> Result<()> {
        match self.named(header, what, option)? {
            Some(at) => {
                self.give(at, role);
                Ok(())
            }
            None => {
                let missing = vec![(format!("`{header}`"), format!("{option} as it is written"))];
                Err(Error::NoColumns { missing, headers: self.shown() })
            }
        }
    }

    fn shown(&self) -> Vec<String> {
        self.headers.iter().filter(|header| !header.is_empty()).cloned().collect()
    }
}

impl<'a> Columns<'a> {
    /// The columns under the headers in `row`, for a study over `space`.
    pub fn find(grid: &Grid, row: usize, space: &'a Space, options: &Options) -> Result<Self> {
        let line = &grid.lines[row];
        let width = grid.lines[row..].iter().map(|line| line.cells.len()).max().unwrap_or(0);
        let header = |at: usize| text_of(&line.cell(at).shown()).trim().to_owned();
        let headers: Vec<String> = (0..width).map(header).collect();
        let mut finder = Finder { roles: vec![None; headers.len()], headers };
        for header in &options.ignored {
            finder.give_named(header, Role::Ignored, "the column to ignore", "--ignore COLUMN")?;
        }
        if let Some(header) = &options.value {
            finder.give_named(header, Role::Value(OBJECTIVE.into()), "the value", "--value COLUMN")?;
        }
        for (name, header) in &options.columns {
            let Some(parameter) = space.parameters().iter().find(|parameter| parameter.name == *name) else {
                let names = space.parameters().iter().map(|parameter| parameter.name.clone()).collect();
                return Err(Error::NoParameter { name: name.clone(), names });
            };
            let option = format!("--column {name}=COLUMN");
            finder.give_named(header, Role::Parameter(parameter.name.clone()), name, &option)?;
        }
        let is_given = |finder: &Finder, role: &Role| finder.roles.iter().flatten().any(|given| given == role);
        // Our own names to the letter come before names by hand: a parameter may be called like one of our columns.
        if options.value.is_none()
            && let Some(at) = finder.exact(OBJECTIVE)
        {
            finder.give(at, Role::Value(OBJECTIVE.into()));
        }
        for is_exact in [true, false] {
            for parameter in space.parameters() {
                let (name, role) = (&parameter.name, Role::Parameter(parameter.name.clone()));
                if is_given(&finder, &role) {
                    continue;
                }
                let place = match is_exact {
                    true => finder.exact(&column(name)).or_else(|| finder.exact(name)),
                    false => finder.named(name, name, &format!("--column {name}=COLUMN"))?,
                };
                if let Some(at) = place {
                    finder.give(at, role);
                }
            }
        }
        if !is_given(&finder, &Role::Value(OBJECTIVE.into()))
            && let Some(at) = finder.named(OBJECTIVE, "the value", "--value COLUMN")?
        {
            finder.give(at, Role::Value(OBJECTIVE.into()));
        }
        finder.ours()?;
        finder.complete(space)?;
        Ok(Self::new(finder, space))
    }

    fn new(finder: Finder, space: &'a Space) -> Self {
        let place = |role: &Role| finder.roles.iter().position(|given| given.as_ref() == Some(role));
        let parameters = space.parameters().iter();
        let parameters = parameters.filter_map(|p| Some((place(&Role::Parameter(p.name.clone()))?, p))).collect();
        let mut values: Vec<(usize, String)> = Vec::new();
        for (at, role) in finder.roles.iter().enumerate() {
            match role {
                Some(Role::Value(name)) if name == OBJECTIVE => values.insert(0, (at, name.clone())),
                Some(Role::Value(name)) => values.push((at, name.clone())),
                _ => {}
            }
        }
        let (state, message) = (place(&Role::State), place(&Role::Message));
        let (origin, trial) = (place(&Role::Origin), place(&Role::Trial));
        let all = finder.headers.into_iter().zip(finder.roles).enumerate();
        let all = all.map(|(at, (header, role))| Column {
            letters: letters(at),
            header,
            role: role.unwrap_or(Role::Ignored),
        });
        Self { all: all.collect(), parameters, values, state, message, origin, trial }
    }

    /// Whether a column is needed.
    pub fn is_used(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|column| column.role != Role::Ignored)
    }

    /// The columns whose cells are numbers.
    pub fn numbers(&self) -> Vec<usize> {
        let parameters = self.parameters.iter().filter(|(_, parameter)| !is_text(parameter)).map(|(at, _)| *at);
        let mut numbers: Vec<usize> = parameters.chain(self.values.iter().map(|(at, _)| *at)).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Columns with content that have no header.
    pub fn nameless(&self, grid: &Grid, row: usize) -> Vec<usize> {
        let has_content = |at: &usize| grid.lines[row + 1..].iter().any(|line| *line.cell(*at) != Cell::Empty);
        (0..self.all.len()).filter(|at| self.all[*at].header.is_empty()).filter(has_content).collect()
    }
}

impl Finder {
    /// The columns that say what became of a trial. Those of a study's own table are taken only if the table is one.
    fn ours(&mut self) -> Result<()> {
        let trial = self.exact("trial").zip(self.exact("origin")).filter(|_| self.exact("state").is_some());
        for (name, role) in [("state", Role::State), ("message", Role::Message)] {
            if let Some(at) = self.named(name, name, &format!("--ignore COLUMN for the one that is not {name}"))? {
                self.give(at, role);
            }
        }
        if let Some((trial, origin)) = trial {
            self.give(trial, Role::Trial);
            self.give(origin, Role::Origin);
            for at in 0..self.headers.len() {
                if let (None, Some(name)) = (&self.roles[at], further(&self.headers[at])) {
                    self.roles[at] = Some(Role::Value(name.to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Whether nothing is missing.
    fn complete(&self, space: &Space) -> Result<()> {
        let is_given = |role: &Role| self.roles.iter().flatten().any(|given| given == role);
        let is_free = |parameter: &&Parameter| !matches!(parameter.kind, Kind::Fixed { .. });
        let mut missing: Vec<(String, String)> = Vec::new();
        for Parameter { name, .. } in space.parameters().iter().filter(is_free) {
            if !is_given(&Role::Parameter(name.clone())) {
                missing.push((format!("`{name}`"), format!("--column {name}=COLUMN")));
            }
        }
        if !is_given(&Role::Value(OBJECTIVE.into())) {
            missing.push((format!("`{OBJECTIVE}`"), "--value COLUMN".into()));
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Error::NoColumns { missing, headers: self.shown() }),
        }
    }
}

/// Whether a parameter's values are texts.
pub(crate) fn is_text(parameter: &Parameter) -> bool {
    matches!(
        &parameter.kind,
        Kind::Categorical { .. } | Kind::Ordered { .. } | Kind::Fixed { value: fathom_study::Value::Text(_) }
    )
}
