//! LP files in CPLEX's dialect with quadratic constraints.
//!
//! Quadratic terms stand in brackets. The bracket is halved in the objective, but not in rows:
//!
//! ```text
//! obj: x + [ 2 x ^2 + 4 x * y ] / 2        x + x² + 2xy
//! c1: y + [ x ^2 - x * y ] <= 1
//! ```
//!
//! Comments begin with a backslash.
//!
//! A constant in the objective is a multiple of a column that is fixed at 1, because readers disagree about bare numbers in the
//! objective (SCIP wants them last, Gurobi makes a variable called `7`). A variable that occurs nowhere else appears in the
//! objective with a zero, because SCIP does not know a variable that only has bounds.

use crate::dialect::{Dialect, number};
use crate::error::{Error, Result};
use crate::expr::{Expression, Variable};
use crate::model::{Column, Model};
use crate::name::CONSTANT;
use std::io::Write;

/// The length of a line. Readers have limits, of which 510 is the strictest known; people read lines of about this length.
const LINE: usize = 110;

impl Model {
    /// Writes the model as an LP file.
    pub fn write_lp(&self, mut out: impl Write, dialect: Dialect) -> Result<()> {
        let model = dialect.admit(self)?;
        let text = Text { model: &model, lines: String::new(), column: 0 }.written();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Write)
    }
}

/// A file that is being written.
struct Text<'a> {
    model: &'a Model,
    lines: String,
    /// The length of the current line.
    column: usize,
}

impl Text<'_> {
    fn written(mut self) -> String {
        for comment in &self.model.comments {
            self.line(&format!("\\ {comment}"));
        }
        self.objective();
        self.rows();
        self.bounds();
        self.kinds();
        self.sets();
        self.functions();
        self.line("End");
        self.lines
    }

    fn line(&mut self, text: &str) {
        self.lines.push_str(text);
        self.lines.push('\n');
        self.column = 0;
    }

    /// Writes a term or a bracket, on a new line if the current line is full.
    fn piece(&mut self, text: &str) {
        if self.column + text.len() + 1 > LINE {
            self.lines.push_str("\n   ");
            self.column = 3;
        }
        self.lines.push(' ');
        self.lines.push_str(text);
        self.column += text.len() + 1;
    }

    fn objective(&mut self) {
        let model = self.model;
        let objective = &model.objective;
        self.line("Minimize");
        self.piece("obj:");
        let mut terms = named_terms(model, objective);
        if objective.constant != 0.0 {
            terms.push((objective.constant, CONSTANT.to_string()));
        }
        let used = model.used();
        terms.extend(model.columns.iter().zip(used).filter(|(_, used)| !used).map(|(c, _)| (0.0, c.name.clone())));
        self.terms(&terms);
        if !objective.is_linear() {
            self.bracket(objective, 2.0, !terms.is_empty());
            self.piece("/ 2");
        }
        self.line("");
    }

    fn rows(&mut self) {
        let model = self.model;
        self.line("Subject To");
        for row in &model.rows {
            self.piece(&format!("{}:", row.name));
            let terms = named_terms(model, &row.left);
            self.terms(&terms);
            if !row.left.is_linear() {
                self.bracket(&row.left, 1.0, !terms.is_empty());
            }
            self.piece(&format!("{} {}", row.sense.symbol(), number(row.right)));
            self.line("");
        }
    }

    fn bounds(&mut self) {
        let model = self.model;
        self.line("Bounds");
        if model.objective.constant != 0.0 {
            self.line(&format!(" {CONSTANT} = 1"));
        }
        for column in model.columns.iter().filter(|column| !column.is_plain_binary()) {
            self.line(&bound(column));
        }
    }

    fn kinds(&mut self) {
        let model = self.model;
        self.listed("Generals", &model.names(Column::is_bounded_integer));
        self.listed("Binaries", &model.names(Column::is_plain_binary));
    }

    fn sets(&mut self) {
        let model = self.model;
        if model.sets.is_empty() {
            return;
        }
        self.line("SOS");
        for set in &model.sets {
            self.piece(&format!("{}: S2::", set.name));
            for (place, member) in set.members.iter().enumerate() {
                self.piece(&format!("{}:{}", model.name(*member), place + 1));
            }
            self.line("");
        }
    }

    fn functions(&mut self) {
        let model = self.model;
        if model.pwls.is_empty() {
            return;
        }
        self.line("General Constraints");
        for pwl in &model.pwls {
            self.piece(&format!("pwl_{}: {} = PWL ( {} ) :", pwl.label, model.name(pwl.y), model.name(pwl.x)));
            for (r, k) in &pwl.breakpoints {
                self.piece(&format!("({}, {})", number(*r), number(*k)));
            }
            self.line("");
        }
    }

    fn listed(&mut self, title: &str, names: &[&str]) {
        if names.is_empty() {
            return;
        }
        self.line(title);
        names.iter().for_each(|name| self.piece(name));
        self.line("");
    }

    fn terms(&mut self, terms: &[(f64, String)]) {
        for (place, (factor, name)) in terms.iter().enumerate() {
            self.piece(&term(*factor, name, place == 0));
        }
    }

    fn bracket(&mut self, expression: &Expression, scale: f64, follows: bool) {
        let model = self.model;
        self.piece(if follows { "+ [" } else { "[" });
        let products = expression.quadratic.iter().map(|(j, k, q)| (scale * q, product(model, *j, *k)));
        self.terms(&products.collect::<Vec<_>>());
        self.piece("]");
    }
}

impl Model {
    pub(crate) fn name(&self, variable: Variable) -> &str {
        &self.columns[variable.0].name
    }

    fn names(&self, wanted: fn(&Column) -> bool) -> Vec<&str> {
        self.columns.iter().filter(|column| wanted(column)).map(|column| column.name.as_str()).collect()
    }

    /// Whether the objective or a row mentions each variable.
    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.columns.len()];
        for expression in self.rows.iter().map(|row| &row.left).chain([&self.objective]) {
            expression.linear.iter().for_each(|term| used[term.0.0] = true);
            expression.quadratic.iter().for_each(|term| (used[term.0.0], used[term.1.0]) = (true, true));
        }
        used
    }
}

fn named_terms(model: &Model, expression: &Expression) -> Vec<(f64, String)> {
    expression.linear.iter().map(|(j, a)| (*a, model.name(*j).to_string())).collect()
}

fn product(model: &Model, j: Variable, k: Variable) -> String {
    if j == k { format!("{} ^2", model.name(j)) } else { format!("{} * {}", model.name(j), model.name(k)) }
}

fn term(factor: f64, name: &str, first: bool) -> String {
    let sign = match (factor < 0.0, first) {
        (true, _) => "- ",
        (false, true) => "",
        (false, false) => "+ ",
    };
    if factor.abs() == 1.0 { format!("{sign}{name}") } else { format!("{sign}{} {name}", number(factor.abs())) }
}

fn bound(column: &Column) -> String {
    let (name, lower, upper) = (&column.name, number(column.lower), number(column.upper));
    match (column.lower.is_finite(), column.upper.is_finite()) {
        (true, true) if column.lower == column.upper => format!(" {name} = {lower}"),
        (true, true) => format!(" {lower} <= {name} <= {upper}"),
        (true, false) => format!(" {name} >= {lower}"),
        (false, true) => format!(" -inf <= {name} <= {upper}"),
        (false, false) => format!(" {name} free"),
    }
}
