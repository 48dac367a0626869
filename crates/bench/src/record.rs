//! A measurement as a plain struct: the fields are the columns of `raw.csv`.

use anyhow::Context as _;

/// What can stand between two commas.
pub(crate) trait Field: Sized {
    /// To the last bit.
    fn write(&self) -> String;

    /// Reads what [`Field::write`] wrote.
    fn read(text: &str) -> anyhow::Result<Self>;
}

impl Field for String {
    fn write(&self) -> String {
        self.replace([',', '\n'], ";")
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        Ok(text.into())
    }
}

impl Field for f64 {
    fn write(&self) -> String {
        format!("{self:?}")
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        text.parse().with_context(|| format!("`{text}` is no number"))
    }
}

impl Field for u64 {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        text.parse().with_context(|| format!("`{text}` is no count"))
    }
}

impl Field for usize {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        text.parse().with_context(|| format!("`{text}` is no count"))
    }
}

impl<F: Field> Field for Option<F> {
    fn write(&self) -> String {
        self.as_ref().map(F::write).unwrap_or_default()
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        if text.is_empty() { Ok(None) } else { F::read(text).map(Some) }
    }
}

/// The next field of a line.
pub(crate) fn next<F: Field>(fields: &mut std::str::Split<'_, char>, name: &str) -> anyhow::Result<F> {
    let text = fields.next().with_context(|| format!("the field {name} is missing"))?;
    F::read(text).with_context(|| format!("in the field {name}"))
}

/// A struct whose fields are the columns of a raw file, in this order.
macro_rules! record {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(#[$about_first:meta])* pub $first:ident: $kind_first:ty,
            $($(#[$about_field:meta])* pub $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $(#[$about_first])* pub $first: $kind_first,
            $($(#[$about_field])* pub $field: $kind,)*
        }

        impl $crate::evidence::Record for $name {
            const HEAD: &'static str = concat!(stringify!($first), $(",", stringify!($field)),*);

            fn to_line(&self) -> String {
                use $crate::record::Field as _;
                [self.$first.write(), $(self.$field.write()),*].join(",")
            }

            fn parse(line: &str) -> anyhow::Result<Self> {
                let mut fields = line.split(',');
                let record = Self {
                    $first: $crate::record::next(&mut fields, stringify!($first))?,
                    $($field: $crate::record::next(&mut fields, stringify!($field))?,)*
                };
                anyhow::ensure!(fields.next().is_none(), "{line}: too many fields");
                Ok(record)
            }
        }
    };
}
pub(crate) use record;

#[cfg(test)]
mod tests {
    use crate::evidence::Record as _;

    record! {
        /// Of every kind of field.
        pub struct Sample {
            /// Words.
            pub name: String,
            /// A number that may be missing.
            pub value: Option<f64>,
            /// A count.
            pub count: u64,
        }
    }

    #[test]
    fn records_are_read_back_to_the_last_bit() {
        assert_eq!(Sample::HEAD, "name,value,count");
        for value in [Some(-1.0 / 3.0), Some(1e-300), None] {
            let sample = Sample { name: "a".into(), value, count: 3 };
            assert_eq!(Sample::parse(&sample.to_line()).expect("just written"), sample);
        }
        let torn = Sample { name: "a,b\nc".into(), value: None, count: 0 };
        assert_eq!(torn.to_line(), "a;b;c,,0");
    }

    #[test]
    fn a_broken_line_names_its_field() {
        for (line, culprit) in
            [("a,1.0", "count"), ("a,x,3", "value"), ("a,1.0,-3", "count"), ("a,1.0,3,4", "too many")]
        {
            let error = format!("{:#}", Sample::parse(line).expect_err("broken"));
            assert!(error.contains(culprit), "{error}");
        }
    }
}
