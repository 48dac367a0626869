//! The commands that correct what is known of trials.

use super::count::value;
use super::study::StudyFile;
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

impl Changed {
    /// Who makes an entry.
    pub fn author(&self) -> Option<String> {
        author(self.by.as_deref())
    }
}

/// The name that was given, else that of the user.
pub fn author(by: Option<&str>) -> Option<String> {
    let user =
        || std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).or_else(|_| std::env::var("USERNAME")).ok();
    by.map(str::to_owned).or_else(user).filter(|name| !name.trim().is_empty())
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

#[derive(Debug, ClapArgs)]
pub struct Edit {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    pub id: u64,
    /// Its value.
    #[arg(long, allow_hyphen_values = true, value_parser = value, value_name = "VALUE")]
    pub value: Option<f64>,
    /// That it failed, and why.
    #[arg(long, conflicts_with = "value", value_name = "REASON")]
    pub failed: Option<String>,
    #[command(flatten)]
    pub changed: Changed,
}

#[derive(Debug, ClapArgs)]
pub struct Cancel {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    pub id: u64,
    /// Why.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    pub reason: String,
    /// Who says so [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Withdraw {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number.
    pub id: u64,
    /// Why.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    pub reason: String,
    /// Who says so [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Undo {
    #[command(flatten)]
    pub study: StudyFile,
    /// The number of the entry; else the last one that was not undone.
    #[arg(value_name = "ENTRY")]
    pub entry: Option<u64>,
    /// Who says so [default: the name of the user].
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct History {
    #[command(flatten)]
    pub study: StudyFile,
    /// The trial's number; else all trials.
    pub id: Option<u64>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}
