//! One row of a table as an experiment.

use crate::cell::Cell;
use crate::columns::{Columns, is_text};
use crate::error::Mistake;
use crate::formula::text_of;
use crate::grid::{Grid, Line};
use crate::missing::is_nothing;
use crate::number::{Decimal, number, without_percent};
use crate::source::decimals;
use fathom_study::{Experiment, Kind, Origin, Outcome, Parameter, Point, Space, State, Value, Values};

/// What a row is.
#[derive(Debug)]
pub(crate) enum Reading {
    Experiment(Experiment),
    /// No experiment, and why.
    LeftOut(String),
    Mistakes(Vec<Mistake>),
}

/// What reads the rows of a table.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub grid: &'a Grid,
    pub columns: &'a Columns<'a>,
    pub decimal: Decimal,
    pub space: &'a Space,
}

impl Reader<'_> {
    /// The experiment of a row.
    pub fn read(&self, line: &Line) -> Reading {
        if (0..self.columns.all.len()).all(|at| !self.columns.is_used(at) || line.cell(at).is_empty()) {
            return Reading::LeftOut("nothing in the columns that count".into());
        }
        let mut mistakes = Vec::new();
        let state = self.state(line).unwrap_or_else(|mistake| {
            mistakes.push(mistake);
            None
        });
        let values = self.values(line, &mut mistakes);
        let outcome = match (state, values) {
            _ if !mistakes.is_empty() => return Reading::Mistakes(mistakes),
            (Some(state @ (State::Cancelled | State::Withdrawn)), _) => return Reading::LeftOut(state.name().into()),
            (None | Some(State::Complete), Some(values)) => Some(Outcome::Values(values)),
            (None | Some(State::Complete), None) => return Reading::LeftOut("no value".into()),
            (Some(State::Failed), None) => Some(Outcome::Failed(self.message(line))),
            (Some(State::Pending), None) => None,
            (Some(state), Some(values)) => {
                let way = match state {
                    State::Pending => {
                        "`fathom tell` tells a pending trial its value; write complete if it is another experiment"
                    }
                    State::Complete | State::Failed | State::Cancelled | State::Withdrawn => {
                        "write complete, or take the value out"
                    }
                };
                let reason = format!("the state is {}, but there is the {values}: {way}", state.name());
                return Reading::Mistakes(vec![Mistake { place: self.grid.row(line.number), reason }]);
            }
        };
        let origin = match self.origin(line) {
            Ok(origin) => origin,
            Err(mistake) => return Reading::Mistakes(vec![mistake]),
        };
        match self.point(line) {
            Reading::Experiment(experiment) => Reading::Experiment(Experiment { outcome, origin, ..experiment }),
            other @ (Reading::LeftOut(_) | Reading::Mistakes(_)) => other,
        }
    }

    fn mistake(&self, line: &Line, at: usize, reason: String) -> Mistake {
        Mistake { place: self.grid.place(line.number, at, &self.columns.all[at].header), reason }
    }

    fn state(&self, line: &Line) -> Result<Option<State>, Mistake> {
        let Some(at) = self.columns.state else { return Ok(None) };
        let shown = line.cell(at).shown();
        if is_nothing(&shown) {
            return Ok(None);
        }
        State::named(&shown.trim().to_lowercase()).map(Some).ok_or_else(|| {
            let header = &self.columns.all[at].header;
            let reason = format!(
                "`{}` is none of complete, failed and pending (--ignore \"{header}\" passes the column over)",
                shown.trim()
            );
            self.mistake(line, at, reason)
        })
    }

    fn origin(&self, line: &Line) -> Result<Origin, Mistake> {
        let Some(at) = self.columns.origin else { return Ok(Origin::Import) };
        let shown = line.cell(at).shown();
        let named = Origin::ALL.into_iter().find(|origin| origin.name() == shown.trim());
        named
            .or(is_nothing(&shown).then_some(Origin::Import))
            .ok_or_else(|| self.mistake(line, at, format!("`{}` is none of design, model and import", shown.trim())))
    }

    fn message(&self, line: &Line) -> String {
        self.columns.message.map_or_else(String::new, |at| text_of(&line.cell(at).shown()).to_owned())
    }

    /// The values that were told; `None` without the objective.
    fn values(&self, line: &Line, mistakes: &mut Vec<Mistake>) -> Option<Values> {
        let mut values = Values::default();
        let mut is_told = true;
        for (place, (at, name)) in self.columns.values.iter().enumerate() {
            match self.number(line.cell(*at)) {
                Ok(Some((number, _))) => match values.clone().with(name, number) {
                    Ok(more) => values = more,
                    Err(error) => mistakes.push(self.mistake(line, *at, error.to_string())),
                },
                Ok(None) => is_told &= place > 0,
                Err(reason) if place == 0 => {
                    let more =
                        "leave the cell empty if there is no result; `failed` in a column `state` says that it failed";
                    mistakes.push(self.mistake(line, *at, format!("{reason}; {more}")));
                }
                Err(reason) => mistakes.push(self.mistake(line, *at, reason)),
            }
        }
        is_told.then_some(values)
    }

    fn point(&self, line: &Line) -> Reading {
        let (mut point, mut missing, mut mistakes) = (Point::new(), Vec::new(), Vec::new());
        for (at, parameter) in &self.columns.parameters {
            match self.value(parameter, line.cell(*at)) {
                Ok(Some(value)) => _ = point.insert(parameter.name.clone(), value),
                // What is fixed needs no cell.
                Ok(None) if matches!(parameter.kind, Kind::Fixed { .. }) => {}
                Ok(None) => missing.push(parameter.name.as_str()),
                Err(reason) => mistakes.push(self.mistake(line, *at, reason)),
            }
        }
        if !mistakes.is_empty() {
            return Reading::Mistakes(mistakes);
        }
        if !missing.is_empty() {
            return Reading::LeftOut(format!("no {}", missing.join(", no ")));
        }
        match self.space.check(&point) {
            Ok(point) => Reading::Experiment(Experiment { point, outcome: None, origin: Origin::Import }),
            Err(error) => {
                Reading::Mistakes(vec![Mistake { place: self.grid.row(line.number), reason: error.to_string() }])
            }
        }
    }

    /// A cell as a value of a parameter; `None` if there is none.
    fn value(&self, parameter: &Parameter, cell: &Cell) -> Result<Option<Value>, String> {
        if !is_text(parameter) {
            return Ok(self.number(cell)?.map(|(number, _)| Value::Float(number)));
        }
        let shown = cell.shown();
        let choices = choices(parameter);
        // To the letter first: a choice may have blanks around it, or be called `-`.
        let text = text_of(&shown);
        let chosen = choices.iter().find(|choice| **choice == text).or_else(|| {
            let alike: Vec<&String> = choices.iter().filter(|choice| self.is_alike(choice, text)).collect();
            alike.first().filter(|_| alike.len() == 1).copied()
        });
        match chosen {
            Some(choice) => Ok(Some(Value::Text(choice.clone()))),
            None if is_nothing(&shown) => Ok(None),
            None => Ok(Some(Value::Text(text.to_owned()))),
        }
    }

    /// Whether a text is a choice but for blanks around it, capitals, or the way of writing a number.
    fn is_alike(&self, choice: &str, text: &str) -> bool {
        let as_number = |text: &str, decimal| number(without_percent(text).0, decimal);
        let is_equal = choice.trim().to_lowercase() == text.trim().to_lowercase();
        is_equal
            || as_number(choice, Decimal::Point).is_some_and(|number| as_number(text, self.decimal) == Some(number))
    }

    /// The number in a cell and whether it is in percent; `None` if there is none.
    pub fn number(&self, cell: &Cell) -> Result<Option<(f64, bool)>, String> {
        match cell {
            Cell::Empty | Cell::Fault(_) => Ok(None),
            Cell::Number(number) => Ok(Some((*number, false))),
            Cell::Percent(number) => Ok(Some((*number, true))),
            Cell::Bool(is_so) => Err(format!("`{is_so}` is no number")),
            Cell::Date(date) => Err(format!(
                "{date} is a date: a spreadsheet makes one of 1.5 or 1/5; format the column as numbers and type it again"
            )),
            Cell::Text(text) if is_nothing(text) => Ok(None),
            Cell::Text(text) => {
                let (digits, is_percent) = without_percent(text);
                let other = match self.decimal {
                    Decimal::Point => Decimal::Comma,
                    Decimal::Comma => Decimal::Point,
                };
                match (number(digits, self.decimal), number(digits, other)) {
                    (Some(number), _) => Ok(Some((number, is_percent))),
                    (None, Some(_)) => Err(format!("`{}` is no number with {}", text.trim(), decimals(self.decimal))),
                    (None, None) => Err(format!("`{}` is no number", text.trim())),
                }
            }
        }
    }
}

/// The texts that a parameter may be.
fn choices(parameter: &Parameter) -> Vec<String> {
    if let Kind::Categorical { choices } | Kind::Ordered { choices } = &parameter.kind {
        return choices.iter().map(Value::to_string).collect();
    }
    if let Kind::Fixed { value: Value::Text(text) } = &parameter.kind {
        return vec![text.clone()];
    }
    Vec::new()
}
