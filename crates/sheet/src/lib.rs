//! Tables of experiments: files that people's spreadsheets write, and that their spreadsheets read.
//!
//! * **From a file**: [`Table::read`] finds out how a file is written (separator, decimal sign, encoding, which sheet), which row has the
//!   headers and which column is what, and makes experiments of the rows. It says what it understood; [`Options`] correct it.
//! * **To a file**: [`csv()`] and [`xlsx()`] write trials so that [`Table::read`] finds them again.
//!
//! ```
//! use fathom_sheet::{Options, Table};
//! use fathom_study::Definition;
//! let study = "[parameters]\ntemperature = { type = 'float', low = 20, high = 120 }";
//! let definition = Definition::parse(study)?;
//! let text = "Temperature (°C);Yield (%)\r\n46,2;17,5\r\n80;n.d.\r\n";
//! let options = Options { value: Some("Yield (%)".into()), ..Options::default() };
//! let table = Table::of(text.as_bytes(), &definition.space, &options)?;
//! assert_eq!(table.rows[0].experiment.point["temperature"].as_f64(), Some(46.2));
//! assert_eq!(table.left_out[0].to_string(), "line 3: no value");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod cell;
mod columns;
mod date;
mod decimal;
mod delimited;
mod encoding;
mod error;
mod export;
mod formula;
mod grid;
mod header;
mod locale;
mod missing;
mod names;
mod number;
mod options;
mod row;
mod source;
mod table;
mod workbook;
mod xml;

pub use cell::Cell;
pub use columns::{Column, Role};
pub use delimited::Separator;
pub use encoding::Encoding;
pub use error::{Error, Mistake, Result};
pub use export::{csv, xlsx};
pub use locale::Locale;
pub use names::column;
pub use number::Decimal;
pub use options::Options;
pub use source::Source;
pub use table::{Row, Table};
