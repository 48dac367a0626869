//! `fathom completions`.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
