//! The functions of libscip that a solve needs, by their C signatures. All of this crate's unsafe code is here.
//!
//! The signatures are those of SCIP's public header, the same in versions 9 and 10. `SCIP_RETCODE` and `SCIP_STATUS` are C
//! enumerations (`int`), `SCIP_Longint` has 64 bits, `SCIP_Real` is a double. This code runs in its own process, so a wrong
//! library under the same name can do no harm elsewhere.
#![allow(unsafe_code)]

use std::ffi::{CString, NulError, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

/// `SCIP_OKAY`.
const OKAY: c_int = 1;

/// A pointer to one of SCIP's objects, whose content is never read.
type Raw = *mut c_void;

/// A failure of the worker, which is written to the log.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("libscip: {0}")]
    Load(#[from] libloading::Error),
    #[error("{function} returned {code}")]
    Call { function: &'static str, code: c_int },
    #[error("libscip knows no variable `{0}`")]
    UnknownVariable(String),
    #[error("a path or name with a zero byte in it")]
    ZeroByte(#[from] NulError),
    #[error("a job or report file: {0}")]
    File(#[from] std::io::Error),
    #[error("a job or report: {0}")]
    Json(#[from] serde_json::Error),
}

type Result<T> = std::result::Result<T, Failure>;

/// The loaded library with one SCIP in it.
pub(super) struct Library {
    library: libloading::Library,
    scip: Raw,
}

impl Library {
    /// Loads the library and creates a SCIP with its usual plugins.
    pub fn load(path: &Path) -> Result<Self> {
        // SAFETY: loading runs the library's initialisers; that is what the user asked for by installing it.
        let library = unsafe { libloading::Library::new(path) }?;
        let mut scip = Self { library, scip: ptr::null_mut() };
        // SAFETY: SCIP_RETCODE SCIPcreate(SCIP** scip) writes the new object to the pointer, which is valid.
        let code =
            unsafe { scip.function::<unsafe extern "C" fn(*mut Raw) -> c_int>("SCIPcreate")?(&raw mut scip.scip) };
        checked("SCIPcreate", code)?;
        scip.act("SCIPincludeDefaultPlugins")?;
        Ok(scip)
    }

    /// The major, minor and patch version.
    pub fn version(&self) -> Result<[c_int; 3]> {
        let part = |name| -> Result<c_int> {
            // SAFETY: int SCIPmajorVersion(void), and the same for the others.
            Ok(unsafe { self.function::<unsafe extern "C" fn() -> c_int>(name)?() })
        };
        Ok([part("SCIPmajorVersion")?, part("SCIPminorVersion")?, part("SCIPtechVersion")?])
    }

    /// Reads a settings file.
    pub fn read_parameters(&mut self, path: &Path) -> Result<()> {
        let path = c_path(path)?;
        // SAFETY: SCIP_RETCODE SCIPreadParams(SCIP*, const char*); `self.scip` was created, the string ends in zero.
        let code = unsafe {
            self.function::<unsafe extern "C" fn(Raw, *const c_char) -> c_int>("SCIPreadParams")?(
                self.scip,
                path.as_ptr(),
            )
        };
        checked("SCIPreadParams", code)
    }

    /// Reads a problem, or a solution of the problem that was read before; the extension decides.
    pub fn read(&mut self, path: &Path) -> Result<()> {
        type Read = unsafe extern "C" fn(Raw, *const c_char, *const c_char) -> c_int;
        let path = c_path(path)?;
        // SAFETY: SCIP_RETCODE SCIPreadProb(SCIP*, const char* file, const char* extension); a null extension means the
        // file's own.
        let code = unsafe { self.function::<Read>("SCIPreadProb")?(self.scip, path.as_ptr(), ptr::null()) };
        checked("SCIPreadProb", code)
    }

    /// Lowers the time limit of the search to `seconds`.
    pub fn limit_time(&mut self, seconds: f64) -> Result<()> {
        type Get = unsafe extern "C" fn(Raw, *const c_char, *mut f64) -> c_int;
        type Set = unsafe extern "C" fn(Raw, *const c_char, f64) -> c_int;
        let (name, mut now) = (c"limits/time", f64::INFINITY);
        // SAFETY: SCIP_RETCODE SCIPgetRealParam(SCIP*, const char*, SCIP_Real*) writes to the pointer, which is valid.
        let code = unsafe { self.function::<Get>("SCIPgetRealParam")?(self.scip, name.as_ptr(), &raw mut now) };
        checked("SCIPgetRealParam", code)?;
        // SAFETY: SCIP_RETCODE SCIPsetRealParam(SCIP*, const char*, SCIP_Real).
        let code = unsafe { self.function::<Set>("SCIPsetRealParam")?(self.scip, name.as_ptr(), seconds.min(now)) };
        checked("SCIPsetRealParam", code)
    }

    /// Solves the problem.
    pub fn solve(&mut self) -> Result<()> {
        self.act("SCIPsolve")
    }

    /// The status code, whose meaning depends on the version.
    pub fn status(&self) -> Result<c_int> {
        self.int("SCIPgetStatus")
    }

    /// The best value.
    pub fn primal_bound(&self) -> Result<f64> {
        self.real("SCIPgetPrimalbound")
    }

    /// The lower bound.
    pub fn dual_bound(&self) -> Result<f64> {
        self.real("SCIPgetDualbound")
    }

    /// The number of nodes of all runs.
    pub fn nodes(&self) -> Result<i64> {
        // SAFETY: SCIP_Longint SCIPgetNTotalNodes(SCIP*).
        Ok(unsafe { self.function::<unsafe extern "C" fn(Raw) -> i64>("SCIPgetNTotalNodes")?(self.scip) })
    }

    /// At most `most` best points, each in the order of `names`.
    pub fn points(&self, names: &[String], most: usize) -> Result<Vec<Vec<f64>>> {
        type Value = unsafe extern "C" fn(Raw, Raw, Raw) -> f64;
        let variables = names.iter().map(|name| self.variable(name)).collect::<Result<Vec<Raw>>>()?;
        let count = usize::try_from(self.int("SCIPgetNSols")?).unwrap_or(0).min(most);
        // SAFETY: SCIP_SOL** SCIPgetSols(SCIP*): an array of SCIPgetNSols solutions, best first, owned by SCIP.
        let solutions = unsafe { self.function::<unsafe extern "C" fn(Raw) -> *const Raw>("SCIPgetSols")?(self.scip) };
        // SAFETY: SCIP_Real SCIPgetSolVal(SCIP*, SCIP_SOL*, SCIP_VAR*).
        let value = unsafe { self.function::<Value>("SCIPgetSolVal") }?;
        let point = |at: usize| {
            // SAFETY: `at` is below the number of solutions; variables and solutions belong to this SCIP, which is
            // unchanged since they were fetched.
            variables.iter().map(|variable| unsafe { value(self.scip, *solutions.add(at), *variable) }).collect()
        };
        Ok((0..count).map(point).collect())
    }

    fn variable(&self, name: &str) -> Result<Raw> {
        let text = CString::new(name)?;
        // SAFETY: SCIP_VAR* SCIPfindVar(SCIP*, const char*) returns null if there is no such variable.
        let variable = unsafe {
            self.function::<unsafe extern "C" fn(Raw, *const c_char) -> Raw>("SCIPfindVar")?(self.scip, text.as_ptr())
        };
        if variable.is_null() { Err(Failure::UnknownVariable(name.to_string())) } else { Ok(variable) }
    }

    /// Calls a function that takes only SCIP and can fail.
    fn act(&mut self, name: &'static str) -> Result<()> {
        checked(name, self.int(name)?)
    }

    fn int(&self, name: &'static str) -> Result<c_int> {
        // SAFETY: used for functions of the form int f(SCIP*) only.
        Ok(unsafe { self.function::<unsafe extern "C" fn(Raw) -> c_int>(name)?(self.scip) })
    }

    fn real(&self, name: &'static str) -> Result<f64> {
        // SAFETY: used for functions of the form SCIP_Real f(SCIP*) only.
        Ok(unsafe { self.function::<unsafe extern "C" fn(Raw) -> f64>(name)?(self.scip) })
    }

    /// A function of the library.
    ///
    /// # Safety
    /// `F` must be the function's C signature.
    unsafe fn function<F>(&self, name: &str) -> Result<libloading::Symbol<'_, F>> {
        // SAFETY: the caller promises that `F` is the signature.
        Ok(unsafe { self.library.get(name)? })
    }
}

fn checked(function: &'static str, code: c_int) -> Result<()> {
    if code == OKAY { Ok(()) } else { Err(Failure::Call { function, code }) }
}

fn c_path(path: &Path) -> Result<CString> {
    Ok(CString::new(path.as_os_str().as_encoded_bytes())?)
}
