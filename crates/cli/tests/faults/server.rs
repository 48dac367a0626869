//! A PostgreSQL server of the campaign's own, on a disk of its own if one can be mounted.

use super::disk::Disk;
use super::process::signal;
use postgres::{Client, NoTls};
use std::fs::OpenOptions;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The password, which no output of any command may contain.
pub const PASSWORD: &str = "Sesame0pen4Faults";

/// The size of the server's disk; a fresh cluster takes 40 MB.
const KILOBYTES: u64 = 128 << 10;

/// How a server can be stopped.
#[derive(Debug, Clone, Copy)]
pub enum Stop {
    /// It ends sessions and writes everything down.
    Fast,
    /// It goes at once and recovers when it is started.
    Immediate,
    /// Its first process is killed, the others notice.
    Kill,
}

#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    port: u16,
    child: Mutex<Option<Child>>,
    /// Unmounted before its folder is removed.
    disk: Option<Disk>,
    place: tempfile::TempDir,
}

impl Server {
    /// A new server; an error says why there is none.
    pub fn start() -> Result<Self, String> {
        let find = Path::new(env!("CARGO_MANIFEST_DIR")).join("../study/tests/find-postgres");
        let found = Command::new(&find).stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
        let programs = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if !found.status.success() {
            return Err("no PostgreSQL server was found (set PGBIN)".into());
        }
        let place = tempfile::Builder::new().prefix("fathom-faults-server-").tempdir().map_err(|e| e.to_string())?;
        let folder = place.path().to_owned();
        run(Command::new("chmod").arg("755").arg(&folder))?;
        let home = folder.join("home");
        std::fs::create_dir(&home).map_err(|error| error.to_string())?;
        let disk = Disk::mount(&home, KILOBYTES).ok();
        let (password, port) = (folder.join("password"), free_port());
        std::fs::write(&password, PASSWORD).map_err(|error| error.to_string())?;
        let mut server = Self { programs: programs.into(), port, child: Mutex::new(None), disk, place };
        if is_root() {
            run(Command::new("chown").arg("65534:65534").arg(&home).arg(&password))?;
            // The user `nobody` may not be allowed into the folder of the programs.
            if !server.command("test").arg("-x").arg(server.programs.join("initdb")).status().is_ok_and(|s| s.success())
            {
                let copy = folder.join("programs");
                run(Command::new("cp").arg("-r").arg(server.programs.join("..")).arg(&copy))?;
                server.programs = copy.join("bin");
            }
        }
        let initdb = server.programs.join("initdb");
        let mut initdb = server.command(&initdb.display().to_string());
        initdb.args(["-U", "fathom", "-A", "scram-sha-256", "--wal-segsize=1", "--locale=C", "-D"]);
        run(initdb.arg(server.data()).arg(format!("--pwfile={}", password.display())))?;
        server.go_on();
        Ok(server)
    }

    /// A command as another user if we are root: PostgreSQL refuses to run as root.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(if is_root() { "setpriv" } else { program });
        if is_root() {
            let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/tmp", program];
            command.args(nobody);
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.place.path().join("home/data")
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The server's address as seen through `port`.
    pub fn url_through(port: u16) -> String {
        format!("postgres://fathom:{PASSWORD}@127.0.0.1:{port}/postgres?connect_timeout=5")
    }

    /// A session of our own.
    pub fn session(&self) -> Result<Client, String> {
        Client::connect(&Self::url_through(self.port), NoTls).map_err(|error| error.to_string())
    }

    pub fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref()
    }

    /// Starts the server if it does not run, and waits until it answers.
    pub fn go_on(&self) {
        let started = Instant::now();
        while self.session().is_err() {
            assert!(started.elapsed() < Duration::from_secs(90), "the server does not come up again: {}", self.log());
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            let is_gone = match child.as_mut() {
                None => true,
                Some(child) => child.try_wait().expect("a child can be waited for").is_some(),
            };
            if is_gone {
                *child = Some(self.spawn());
            }
            drop(child);
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn spawn(&self) -> Child {
        let log = OpenOptions::new().append(true).create(true).open(self.place.path().join("log"));
        let log = log.expect("the server's log can be written");
        let program = self.programs.join("postgres");
        let mut command = self.command(&program.display().to_string());
        command.arg("-D").arg(self.data()).args(["-p", &self.port.to_string(), "-k", ""]);
        // The server has little space, so that a full disk is felt at once.
        for setting in ["listen_addresses=127.0.0.1", "max_connections=200", "min_wal_size=2MB", "max_wal_size=8MB"] {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("the server can be started")
    }

    fn log(&self) -> String {
        let text = std::fs::read_to_string(self.place.path().join("log")).unwrap_or_default();
        text.lines().rev().take(12).map(|line| format!("\n  {line}")).collect()
    }

    /// Stops the server.
    pub fn stop(&self, how: Stop) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut server) = child.take() else { return };
        let name = match how {
            Stop::Fast => "INT",
            Stop::Immediate => "QUIT",
            Stop::Kill => "KILL",
        };
        signal(server.id(), name);
        let _ = server.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop(Stop::Immediate);
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {said}")) }
}

/// A port that nobody listens at.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("there is a free port");
    listener.local_addr().expect("a listener has an address").port()
}
