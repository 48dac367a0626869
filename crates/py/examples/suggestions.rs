//! A study by the Rust library, for the tests that compare it with Python and the command line:
//!
//! ```text
//! suggestions STUDY.toml STORE
//! ```
//!
//! prints a point as JSON, reads its value, tells the value, and so on until there are no more values.

use fathom_study::{Definition, Study};
use std::error::Error;
use std::io::{BufRead as _, Write as _};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(store)) = (arguments.next(), arguments.next()) else {
        return Err("usage: suggestions STUDY.toml STORE".into());
    };
    let mut study = Study::resume(&store, Definition::parse(&std::fs::read_to_string(file)?)?)?;
    let mut values = std::io::stdin().lock().lines();
    loop {
        let trial = study.ask(1)?.remove(0);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string(&trial.point)?)?;
        out.flush()?;
        let Some(value) = values.next() else { return Ok(()) };
        study.tell(trial.id, value?.trim().parse()?)?;
    }
}
