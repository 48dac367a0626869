//! A mixed-integer quadratic program, independent of any solver:
//!
//! minimise f(x) subject to g_i(x) ≤, = or ≥ b_i, special ordered sets of type 2, y = pwl(x), l ≤ x ≤ u, some x whole,
//!
//! with f and g_i of degree at most two. The functions below check every part, so a model has no NaN, no crossed bounds, no
//! name that a file format would change, and no variable of another model.

use crate::error::{Error, Result};
use crate::expr::{Expression, Relation, Sense, Variable};
use crate::name;
use crate::pwl::Pwl;
use std::collections::{HashMap, HashSet};

/// Solvers take numbers of at least this size for infinity.
const INFINITE: f64 = 1e20;

/// The most characters in a line of a comment.
const COMMENT: usize = 100;

/// The values that a variable can take between its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All real numbers.
    Continuous,
    /// Whole numbers.
    Integer,
    /// 0 or 1.
    Binary,
}

/// A variable's name, kind and bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Column {
    /// The name, which every file and solver keeps.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The lower bound; −∞ if there is none.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The upper bound; ∞ if there is none.
    pub fn upper(&self) -> f64 {
        self.upper
    }
}

/// A linear or quadratic constraint.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub(crate) name: String,
    pub(crate) left: Expression,
    pub(crate) sense: Sense,
    pub(crate) right: f64,
}

impl Row {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The left side, without a constant.
    pub fn left(&self) -> &Expression {
        &self.left
    }

    /// How the sides compare.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// The right side.
    pub fn right(&self) -> f64 {
        self.right
    }
}

/// Variables of which at most two are not zero, and those two are neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Sos2 {
    pub(crate) name: String,
    pub(crate) members: Vec<Variable>,
}

impl Sos2 {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The variables in order.
    pub fn members(&self) -> &[Variable] {
        &self.members
    }
}

/// A mixed-integer quadratic program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) sets: Vec<Sos2>,
    pub(crate) pwls: Vec<Pwl>,
    pub(crate) objective: Expression,
    /// Lines for people at the beginning of files.
    pub(crate) comments: Vec<String>,
    by_name: HashMap<String, Variable>,
    /// The names of rows, sets and piecewise-linear functions, which share one name space in files.
    constraint_names: HashSet<String>,
}

impl Model {
    /// A model without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable. Bounds may be infinite; the bounds of a whole number move inwards to whole numbers.
    pub fn add_variable(&mut self, name: &str, kind: Kind, lower: f64, upper: f64) -> Result<Variable> {
        name::checked(name)?;
        let bad = |reason| Err(Error::BadBounds { name: name.to_string(), lower, upper, reason });
        // A NaN must be an error, so the comparison asks for valid bounds.
        if !(lower <= upper && lower < INFINITE && upper > -INFINITE) {
            return bad("they must be in order");
        }
        if [lower, upper].iter().any(|bound| bound.is_finite() && bound.abs() >= INFINITE) {
            return bad("solvers take 1e20 for infinity");
        }
        let (lower, upper) = match kind {
            Kind::Continuous => (lower, upper),
            Kind::Integer | Kind::Binary => (lower.ceil(), upper.floor()),
        };
        if lower > upper {
            return bad("there is no whole number between them");
        }
        if kind == Kind::Binary && (lower < 0.0 || upper > 1.0) {
            return bad("a binary variable is 0 or 1");
        }
        let variable = Variable(self.columns.len());
        if self.by_name.contains_key(name) {
            return Err(Error::DuplicateName { kind: "variable", name: name.to_string() });
        }
        self.by_name.insert(name.to_string(), variable);
        // Adding 0.0 turns −0.0, which files would show, into 0.0.
        self.columns.push(Column { name: name.to_string(), kind, lower: lower + 0.0, upper: upper + 0.0 });
        Ok(variable)
    }

    /// Adds a variable that is 0 or 1.
    pub fn add_binary(&mut self, name: &str) -> Result<Variable> {
        self.add_variable(name, Kind::Binary, 0.0, 1.0)
    }

    /// Adds a constraint, such as `(x * x + y).at_most(1.0)`.
    pub fn add_row(&mut self, name: &str, relation: Relation) -> Result<()> {
        name::checked(name)?;
        let left = self.checked(name, relation.left)?;
        checked_number(name, relation.right)?;
        if left.last_variable().is_none() {
            return Err(Error::EmptyRow { name: name.to_string() });
        }
        self.claim(name)?;
        self.rows.push(Row { name: name.to_string(), left, sense: relation.sense, right: relation.right });
        Ok(())
    }

    /// Adds a special ordered set of type 2: at most two of `members` are not zero, and these two are neighbours.
    pub fn add_sos2(&mut self, name: &str, members: &[Variable]) -> Result<()> {
        name::checked(name)?;
        members.iter().try_for_each(|member| self.known(name, *member))?;
        let different: HashSet<_> = members.iter().collect();
        if members.len() < 2 || different.len() < members.len() {
            return Err(Error::BadSet { name: name.to_string() });
        }
        self.claim(name)?;
        self.sets.push(Sos2 { name: name.to_string(), members: members.to_vec() });
        Ok(())
    }

    /// Adds y = f(x) for the continuous piecewise-linear f through `breakpoints`, which must span the bounds of `x`: solvers do
    /// not agree on f beyond its ends. `label` becomes part of names, see [`Pwl::label`].
    pub fn add_pwl(&mut self, label: &str, x: Variable, y: Variable, breakpoints: &[(f64, f64)]) -> Result<()> {
        let pwl = Pwl::new(label, x, y, breakpoints)?;
        let name = format!("pwl_{label}");
        [x, y].iter().try_for_each(|variable| self.known(&name, *variable))?;
        breakpoints.iter().try_for_each(|(r, k)| checked_number(&name, *r).and(checked_number(&name, *k)))?;
        let (first, last) = (breakpoints[0].0, breakpoints[breakpoints.len() - 1].0);
        let column = &self.columns[x.0];
        if column.lower < first || column.upper > last {
            return Err(Error::BadPwl {
                label: label.to_string(),
                reason: "its breakpoints must span the bounds of x",
            });
        }
        self.claim(&name)?;
        self.pwls.push(pwl);
        Ok(())
    }

    /// Sets the objective; the default is 0.
    pub fn minimise(&mut self, objective: impl Into<Expression>) -> Result<()> {
        self.objective = self.checked("objective", objective.into())?;
        Ok(())
    }

    /// Adds a comment, with which files begin. It is broken into lines of ordinary length, and has no character that would end
    /// a line or that a terminal obeys.
    pub fn add_comment(&mut self, text: &str) {
        let mut line = String::new();
        for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
            if !line.is_empty() && line.chars().count() + word.chars().count() >= COMMENT {
                self.comments.push(std::mem::take(&mut line));
            }
            for part in pieces(word) {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(&part);
                if part.chars().count() == COMMENT {
                    self.comments.push(std::mem::take(&mut line));
                }
            }
        }
        if !line.is_empty() {
            self.comments.push(line);
        }
    }

    /// The comments, one for each line.
    pub fn comments(&self) -> &[String] {
        &self.comments
    }

    /// The variables by index.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The linear and quadratic constraints.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The special ordered sets.
    pub fn sets(&self) -> &[Sos2] {
        &self.sets
    }

    /// The piecewise-linear functions.
    pub fn pwls(&self) -> &[Pwl] {
        &self.pwls
    }

    /// The expression that is minimised.
    pub fn objective(&self) -> &Expression {
        &self.objective
    }

    /// The variable called `name`.
    pub fn variable(&self, name: &str) -> Option<Variable> {
        self.by_name.get(name).copied()
    }

    /// The objective at `x`.
    pub fn objective_at(&self, x: &[f64]) -> Result<f64> {
        self.check_length(x)?;
        Ok(self.objective.value(x))
    }

    pub(crate) fn check_length(&self, x: &[f64]) -> Result<()> {
        let (expected, found) = (self.columns.len(), x.len());
        if found == expected { Ok(()) } else { Err(Error::WrongLength { expected, found }) }
    }

    fn checked(&self, place: &str, expression: Expression) -> Result<Expression> {
        expression.last_variable().map_or(Ok(()), |last| self.known(place, last))?;
        let expression = expression.collected();
        expression.numbers().try_for_each(|number| checked_number(place, number))?;
        Ok(expression)
    }

    fn known(&self, place: &str, variable: Variable) -> Result<()> {
        let (index, count) = (variable.0, self.columns.len());
        if index < count { Ok(()) } else { Err(Error::UnknownVariable { place: place.to_string(), index, count }) }
    }

    fn claim(&mut self, name: &str) -> Result<()> {
        if self.constraint_names.insert(name.to_string()) {
            return Ok(());
        }
        Err(Error::DuplicateName { kind: "constraint", name: name.to_string() })
    }
}

/// A word in parts that fit into a line.
fn pieces(word: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(COMMENT).map(|part| part.iter().collect()).collect::<Vec<String>>().into_iter()
}

fn checked_number(place: &str, value: f64) -> Result<()> {
    if value.abs() < INFINITE { Ok(()) } else { Err(Error::BadNumber { place: place.to_string(), value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_variable() -> (Model, Variable) {
        let mut model = Model::new();
        let x = model.add_variable("x", Kind::Continuous, 0.0, 2.0).unwrap();
        (model, x)
    }

    #[test]
    fn bounds_are_checked_and_whole_numbers_move_them_inwards() {
        let mut model = Model::new();
        for (lower, upper) in
            [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (f64::INFINITY, f64::INFINITY), (0.0, 1e25)]
        {
            assert!(model.add_variable("x", Kind::Continuous, lower, upper).is_err());
        }
        assert!(model.add_variable("x", Kind::Integer, 0.2, 0.8).is_err());
        assert!(model.add_variable("x", Kind::Binary, 0.0, 2.0).is_err());
        model.add_variable("n", Kind::Integer, -0.5, 2.7).unwrap();
        assert_eq!((model.columns[0].lower, model.columns[0].upper), (0.0, 2.0));
        assert!(model.columns[0].lower.is_sign_positive());
    }

    #[test]
    fn rows_must_be_finite_named_once_and_about_this_model() {
        let (mut model, x) = one_variable();
        model.add_row("c", (2.0 * x).at_most(1.0)).unwrap();
        assert!(matches!(model.add_row("c", (2.0 * x).at_most(1.0)), Err(Error::DuplicateName { .. })));
        assert!(matches!(model.add_row("d", (2.0 * x).at_most(f64::NAN)), Err(Error::BadNumber { .. })));
        assert!(matches!(model.add_row("d", (1e300 * x * 1e300).at_most(1.0)), Err(Error::BadNumber { .. })));
        assert!(matches!(model.add_row("d", (x - x).at_most(1.0)), Err(Error::EmptyRow { .. })));
        assert!(matches!(model.add_row("d", (x + Variable(7)).at_most(1.0)), Err(Error::UnknownVariable { .. })));
        assert!(matches!(model.add_variable("x", Kind::Binary, 0.0, 1.0), Err(Error::DuplicateName { .. })));
        assert!(matches!(model.minimise(Variable(3)), Err(Error::UnknownVariable { .. })));
    }

    #[test]
    fn comments_are_short_lines_whatever_is_in_them() {
        let (mut model, _) = one_variable();
        model.add_comment(&format!("a name\nwith \u{1b}[31m {} and {}", "x".repeat(250), "word ".repeat(60)));
        assert!(model.comments().iter().all(|line| line.chars().count() <= COMMENT && !line.is_empty()));
        assert!(model.comments().iter().all(|line| !line.contains(|c: char| c.is_control())));
        let whole: String = model.comments().concat();
        assert_eq!((whole.matches('x').count(), whole.matches("word").count()), (250, 60));
        let (mut lp, mut mps) = (Vec::new(), Vec::new());
        let dialect = crate::Dialect::Gurobi;
        model.write_lp(&mut lp, dialect).unwrap();
        model.write_mps(&mut mps, dialect).unwrap();
        for (file, mark) in [(lp, "\\ a name with [31m"), (mps, "* a name with [31m")] {
            assert!(String::from_utf8(file).unwrap().starts_with(mark));
        }
    }

    #[test]
    fn sets_and_functions_are_checked() {
        let (mut model, x) = one_variable();
        let y = model.add_variable("y", Kind::Continuous, 0.0, 1.0).unwrap();
        assert!(model.add_sos2("s", &[x]).is_err());
        assert!(model.add_sos2("s", &[x, x]).is_err());
        assert!(model.add_sos2("s", &[x, y]).is_ok());
        assert!(model.add_pwl("1", x, y, &[(0.0, 1.0), (1.5, 0.0)]).is_err(), "x reaches 2");
        assert!(model.add_pwl("1", x, y, &[(0.0, 1.0), (2.0, 0.0)]).is_ok());
        assert!(model.add_pwl("1", x, y, &[(0.0, 1.0), (2.0, 0.0)]).is_err(), "the label is taken");
    }
}
