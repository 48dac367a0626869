//! From a study file to its study: what the study is called, where it is kept, and for what purpose it is opened.

use crate::address::Address;
use crate::definition::Definition;
use crate::error::{Error, Result};
use crate::spool::Spool;
use crate::study::{Study, TakenUp};
use std::path::{Path, PathBuf};

/// What somebody does with a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To ask for points: the study is created if it does not exist, and an edited file is taken up.
    Ask,
    /// To add known experiments: the study is created if it does not exist.
    Add,
    /// To tell a value, or what was proven.
    Tell,
    /// To look: nothing is created or written.
    Look,
}

/// A study file, read, and where its study is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFile {
    path: Option<PathBuf>,
    definition: Definition,
    address: Address,
}

/// A study that was opened for a purpose.
#[derive(Debug)]
pub struct Opened {
    /// The study.
    pub study: Study,
    /// What became of values that had waited to be told; to look leaves them alone.
    pub taken_up: Vec<TakenUp>,
}

impl Opened {
    /// The study called `name` in the store at an address, to ask and to tell. Values that the store does not take wait beside
    /// the store's file, if there is one.
    pub fn by_name(address: &Address, name: &str) -> Result<Self> {
        let study = Study::open(address, name)?;
        Self::to_act(study, address.file().map(Spool::beside))
    }

    fn to_act(study: Study, spool: Option<Spool>) -> Result<Self> {
        let mut study = study.spooled(spool);
        let taken_up = study.take_up()?;
        Ok(Self { study, taken_up })
    }
}

impl StudyFile {
    /// Reads the file at `path`. The study is called as the file is, unless the file says otherwise, and is kept in `store`,
    /// else where the file says, else in a database beside the file.
    pub fn read(path: &Path, store: Option<&str>) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).map_err(|reason| Error::NoStudyFile { path: path.to_owned(), reason })?;
        let definition = Definition::parse(&text)
            .map_err(|mistake| Error::InStudyFile { path: path.to_owned(), mistake: Box::new(mistake) })?;
        let stem = path.file_stem().map_or("study".into(), |stem| stem.to_string_lossy());
        Ok(Self::new(definition.or_named(&stem), store, Some(path)))
    }

    /// A definition from the file at `path`, if from any; without a file, and if nobody says otherwise, the study ends with the
    /// process.
    pub fn new(definition: Definition, store: Option<&str>, path: Option<&Path>) -> Self {
        let beside = || path.map(|path| Address::of_file(&path.with_extension("db")));
        let address = store.map(Address::new).or_else(|| definition.store.clone()).or_else(beside);
        let address = address.unwrap_or_else(|| Address::new("memory:"));
        Self { path: path.map(Path::to_owned), definition, address }
    }

    /// What the file says.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Where the study is kept.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Where values wait that the store did not take: beside the file or the database; nowhere if the study has neither.
    pub fn spool(&self) -> Option<Spool> {
        self.path.as_deref().or_else(|| self.address.file()).map(Spool::beside)
    }

    /// The study for a purpose. Every purpose but to look tells first what has waited to be told.
    pub fn open(&self, purpose: Purpose) -> Result<Opened> {
        let (address, definition) = (&self.address, self.definition.clone());
        let study = match purpose {
            Purpose::Ask => Study::resume(address, definition),
            Purpose::Add => Study::begin(address, definition),
            Purpose::Tell => Study::join(address, definition),
            Purpose::Look => {
                let study = Study::consult(address, definition)?.spooled(self.spool());
                return Ok(Opened { study, taken_up: Vec::new() });
            }
        };
        Opened::to_act(study?, self.spool())
    }
}
