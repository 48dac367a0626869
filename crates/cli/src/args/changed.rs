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
