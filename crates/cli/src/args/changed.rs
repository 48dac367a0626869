//! What can be said of a trial when it is told or corrected.

use clap::Args as ClapArgs;

/// What can be said of a trial beside its value.
#[derive(Debug, ClapArgs)]
pub struct Changed {
    /// A setting that was really used, if it is not the one that was asked for; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub at: Vec<Setting>,
    /// Something to remember about the trial.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Who says so [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
}

/// A parameter's name and the text of its value.
#[derive(Debug, Clone)]
pub struct Setting {
    pub name: String,
    pub value: String,
}

fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok(Setting { name: name.trim().to_owned(), value: value.trim().to_owned() })
}
