//! Problem files written out: what each abbreviation stands for.

use crate::criterion::{Criterion, CriterionFields, CriterionName};
use crate::fault::{Fault, fault};
use crate::instance::{Instance, InstanceTerm};
use crate::kernel::{KernelFields, StatedKernel};
use crate::row::StatedRow;
use crate::statement::{StatedTerm, Statement};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Instance {
    /// The problem in its canonical form, checked.
    pub fn statement(&self) -> Result<Statement, Fault> {
        for (field, stated, found) in [("d", self.d, self.bounds.len()), ("n", self.n, self.y.len())] {
            if let Some(stated) = stated.filter(|stated| *stated != found) {
                let of = if field == "d" { "bounds" } else { "y" };
                return fault(field, format!("it is {stated}, but `{of}` has {found} entries"));
            }
        }
        let mut statement = Statement {
            name: self.name.clone(),
            terms: self.stated_terms()?,
            lengthscales: self.lengthscales.clone(),
            noise: self.noise,
            jitter: self.jitter,
            mean: self.mean,
            acquisition: self.stated_acquisition()?,
            x: self.x.clone(),
            y: self.y.clone(),
            bounds: self.bounds.clone(),
            integers: Vec::new(),
            values: Vec::new(),
            rows: Vec::new(),
            negative_variance: self.negative_variance,
        };
        for group in &self.one_of {
            statement.add_one_of(group)?;
        }
        statement.add_integers(&self.integers)?;
        statement.add_values(&self.values)?;
        statement.rows.extend(self.constraints.iter().map(StatedRow::merged));
        statement.check().map_err(|fault| self.abbreviated(fault))?;
        Ok(statement)
    }

    /// The fault by the field that was written.
    fn abbreviated(&self, fault: Fault) -> Fault {
        let field = match fault.field {
            "terms" if !self.groups.is_empty() => "groups",
            "sigma_f2" if self.group_sigma_f2.is_some() => "group_sigma_f2",
            "kernel" if self.terms.is_empty() && self.alpha.is_some() => "alpha",
            field => field,
        };
        Fault { field, ..fault }
    }

    fn stated_terms(&self) -> Result<Vec<StatedTerm>, Fault> {
        let Self { kernel, alpha, offset, degree, groups, group_sigma_f2, sigma_f2, .. } = self;
        if !self.terms.is_empty() {
            let abbreviations = [
                ("kernel", kernel.is_some()),
                ("alpha", alpha.is_some()),
                ("offset", offset.is_some()),
                ("degree", degree.is_some()),
                ("groups", !groups.is_empty()),
                ("group_sigma_f2", group_sigma_f2.is_some()),
                ("sigma_f2", sigma_f2.is_some()),
            ];
            if let Some((field, _)) = abbreviations.into_iter().find(|(_, is_there)| *is_there) {
                return fault(field, "`terms` says it already: keep one of them");
            }
            return self.terms.iter().map(InstanceTerm::stated).collect();
        }
        let Some(kernel) = *kernel else { return fault("kernel", "it is missing: name one, or list `terms`") };
        let all = [(0..self.bounds.len()).collect()];
        let groups = if groups.is_empty() { &all[..] } else { &groups[..] };
        if group_sigma_f2.as_ref().is_some_and(|shares| shares.len() != self.groups.len()) {
            return fault("group_sigma_f2", "it needs one entry for each of `groups`");
        }
        let Some(sigma_f2) = *sigma_f2 else { return fault("sigma_f2", "it is missing") };
        let share = |at: usize| group_sigma_f2.as_ref().map_or(sigma_f2 / groups.len() as f64, |shares| shares[at]);
        let term = |(at, inputs): (usize, &Vec<usize>)| {
            let (alpha, offset, degree) = (*alpha, *offset, *degree);
            let inputs = inputs.clone();
            InstanceTerm { kernel, inputs, sigma_f2: share(at), alpha, offset, degree, argument: None, knots: None }
                .stated()
        };
        groups.iter().enumerate().map(term).collect()
    }

    fn stated_acquisition(&self) -> Result<Criterion, Fault> {
        let Self { kappa, rho, imprecision, .. } = *self;
        let best = self.best.or_else(|| self.y.iter().copied().reduce(least)).or(Some(f64::NAN));
        let name = self.acquisition.unwrap_or(CriterionName::Lcb);
        Criterion::named(name, CriterionFields { kappa, best, rho, imprecision })
    }
}

/// The smaller one; not a number if one of them is not.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

impl InstanceTerm {
    fn stated(&self) -> Result<StatedTerm, Fault> {
        let Self { kernel, alpha, offset, degree, argument, ref knots, .. } = *self;
        if argument.is_some() && knots.is_none() {
            return fault("argument", "only a piecewise-linear kernel has one, with its knots");
        }
        let knots = knots.clone().map(|knots| (argument.unwrap_or_default(), knots));
        let kernel = StatedKernel::named(kernel, KernelFields { alpha, offset, degree, knots })?;
        Ok(StatedTerm { kernel, inputs: self.inputs.clone(), variance: self.sigma_f2 })
    }
}

impl Statement {
    /// Exactly one of the inputs in `group` is 1 and the others are 0.
    fn add_one_of(&mut self, group: &[usize]) -> Result<(), Fault> {
        if group.is_empty() {
            return fault("one_of", "one input of an empty group must be 1");
        }
        for (place, input) in group.iter().enumerate() {
            let Some((lower, upper)) = self.bounds.get_mut(*input) else {
                return fault("one_of", format!("there is no input {input}"));
            };
            if self.integers.contains(input) || group[..place].contains(input) {
                return fault("one_of", format!("input {input} is in two groups"));
            }
            if !(*lower <= 0.0 && *upper >= 1.0) {
                return fault("one_of", format!("input {input} is between {lower} and {upper}, not between 0 and 1"));
            }
            (*lower, *upper) = (0.0, 1.0);
        }
        let linear = group.iter().map(|input| (*input, 1.0)).collect();
        let row = StatedRow { linear, lower: Some(1.0), upper: Some(1.0), ..StatedRow::default() };
        self.rows.push(row.merged());
        self.add_integers(group)
    }

    /// The ends of whole sides move inwards to the next whole numbers.
    fn add_integers(&mut self, inputs: &[usize]) -> Result<(), Fault> {
        for input in inputs {
            let Some((lower, upper)) = self.bounds.get_mut(*input) else {
                return fault("integers", format!("there is no input {input}"));
            };
            let whole = (lower.ceil(), upper.floor());
            if *lower <= *upper && whole.0 > whole.1 {
                return fault("integers", format!("no whole number lies between {lower} and {upper} (input {input})"));
            }
            (*lower, *upper) = whole;
            if !self.integers.contains(input) {
                self.integers.push(*input);
            }
        }
        self.integers.sort_unstable();
        Ok(())
    }
}

impl Statement {
    /// Numbers in any order, of which those outside the side do not count; its ends move inwards to the first and the last of them.
    fn add_values(&mut self, lists: &[(usize, Vec<f64>)]) -> Result<(), Fault> {
        for (input, numbers) in lists {
            let Some((lower, upper)) = self.bounds.get_mut(*input) else {
                return fault("values", format!("there is no input {input}"));
            };
            if let Some(bad) = numbers.iter().find(|value| !value.is_finite()) {
                return fault("values", format!("{bad} of input {input} is no number"));
            }
            let mut numbers: Vec<f64> =
                numbers.iter().copied().filter(|value| (*lower..=*upper).contains(value)).collect();
            numbers.sort_by(f64::total_cmp);
            // The two zeros are the same number.
            numbers.dedup_by(|a, b| a == b);
            let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
                return fault("values", format!("none of those of input {input} lies between {lower} and {upper}"));
            };
            (*lower, *upper) = (*first, *last);
            self.values.push((*input, numbers));
        }
        self.values.sort_by_key(|(input, _)| *input);
        Ok(())
    }
}

/// As a problem file that uses no abbreviation.
impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Instance::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Statement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Instance::deserialize(deserializer)?.statement().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Statement, String> {
        serde_json::from_str::<Statement>(text).map_err(|error| error.to_string())
    }

    /// A small problem with one more field or another value of one.
    fn with(field: &str, value: &str) -> Result<Statement, String> {
        let text = r#"{"kernel": "rbf", "sigma_f2": 1, "lengthscales": [0.5, 2], "noise": 0.01, "x": [[0, 0], [1, 0.5]],
            "y": [0.3, -0.2], "beta_sqrt": 2, "bounds": [[0, 1.5], [0, 1]]}"#;
        let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).unwrap();
        if field.is_empty() {
            return read(text);
        }
        object.insert(field.into(), serde_json::from_str(value).unwrap());
        read(&serde_json::to_string(&object).unwrap())
    }

    #[test]
    fn an_abbreviated_problem_is_the_one_that_is_written_out() {
        let short = with("", "").unwrap();
        assert_eq!(short.acquisition, Criterion::Lcb { kappa: 2.0 });
        assert_eq!(short.terms[0].inputs, [0, 1]);
        let long: Statement = serde_json::from_str(&serde_json::to_string(&short).unwrap()).unwrap();
        assert_eq!(short, long);
        let groups = with("groups", "[[1], [0]]").unwrap();
        assert_eq!((groups.terms.len(), groups.terms[0].variance), (2, 0.5));
        let whole = with("integers", "[0]").unwrap();
        assert_eq!((whole.bounds[0], &whole.integers[..]), ((0.0, 1.0), &[0][..]));
        let category = with("one_of", "[[0, 1]]").unwrap();
        assert_eq!((category.rows[0].linear.len(), category.integers.len()), (2, 2));
        let row = with("constraints", r#"[{"quadratic": [[0, 0, 1e16], [0, 0, 1], [0, 0, -1e16]], "lower": 0.5}]"#);
        assert_eq!(row.unwrap().rows[0].quadratic, [(0, 0, 1.0)]);
    }

    #[test]
    fn a_typing_error_is_not_certified_away() {
        let error = with("contraints", "[]").unwrap_err();
        assert!(error.contains("unknown field `contraints`") && error.contains("line 1"), "{error}");
        let error = with("constraints", r#"[{"liner": [[0, 1]], "upper": 1}]"#).unwrap_err();
        assert!(error.contains("unknown field `liner`"), "{error}");
    }

    #[test]
    fn what_cannot_be_a_problem_is_refused_by_name() {
        for (field, value, culprit) in [
            ("d", "3", "`d`"),
            ("n", "1", "`n`"),
            ("noise", "0", "`noise`"),
            ("noise", "1e-101", "`noise`"),
            ("lengthscales", "[1, 1e101]", "`lengthscales`"),
            ("lengthscales", "[1]", "`lengthscales`"),
            ("x", "[[0, 0], [1]]", "`x`"),
            ("y", "[1e300, 0]", "`y`"),
            ("y", "[]", "`y`"),
            ("bounds", "[[1, 0], [0, 1]]", "`bounds`"),
            ("bounds", "[]", "`bounds`"),
            ("integers", "[2]", "`integers`"),
            ("values", "[[2, [0, 1]]]", "`values`"),
            ("values", "[[0, [7, 8]]]", "`values`"),
            ("values", "[[0, []]]", "`values`"),
            ("values", "[[0, [0, 1]], [0, [0, 1]]]", "`values`"),
            ("values", "[[0, [0, 0.3, 1]]]", ""),
            ("one_of", "[[0, 0]]", "`one_of`"),
            ("groups", "[[0]]", "`groups`"),
            ("groups", "[[0, 1], [1]]", "`groups`"),
            ("alpha", "0", ""),
            ("terms", r#"[{"kernel": "rq", "alpha": 0, "inputs": [0, 1], "sigma_f2": 1}]"#, "`kernel`"),
            ("kernel", r#""piecewise_linear""#, "`knots`"),
            ("constraints", r#"[{"linear": [[2, 1]], "upper": 1}]"#, "`constraints`"),
            ("constraints", r#"[{"linear": [[0, 1]], "upper": 1, "lower": 2}]"#, "`constraints`"),
            ("negative_variance", r#""clamped""#, "`negative_variance`"),
            ("beta_sqrt", "-1", "`kappa`"),
            ("acquisition", r#""glcb""#, ""),
            ("imprecision", "-1", ""),
        ] {
            match with(field, value) {
                Ok(_) => assert!(culprit.is_empty(), "{field} = {value}"),
                Err(error) => assert!(!culprit.is_empty() && error.contains(culprit), "{field} = {value}: {error}"),
            }
        }
    }
}
