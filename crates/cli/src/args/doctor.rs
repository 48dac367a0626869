//! `fathom doctor`.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub struct Doctor {
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}
