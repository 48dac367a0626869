//! A small disk of memory that can be filled.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A mounted file system; unmounted at its end.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Mounts a disk on an empty folder; an error says why that cannot be.
    pub fn mount(folder: &Path, kilobytes: u64) -> Result<Self, String> {
        let options = format!("size={kilobytes}k,mode=777");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "fathom-faults"]).arg(folder);
        let output = mount.output().map_err(|error| format!("mount: {error}"))?;
        match output.status.success() {
            true => Ok(Self { folder: folder.to_owned() }),
            false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        }
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }

    /// Fills the disk up to the last `left` bytes, or as far as other writers leave room.
    pub fn fill(&self, left: u64) {
        let file = OpenOptions::new().create(true).append(true).open(self.ballast());
        // If there is no room for that, the disk is full already.
        let Ok(mut file) = file else { return };
        for size in [1 << 20, 1 << 16, 1 << 12] {
            let block = vec![7; size];
            while file.write_all(&block).is_ok() {}
        }
        let length = file.metadata().map_or(0, |data| data.len());
        file.set_len(length.saturating_sub(left)).expect("a file can be cut");
    }

    pub fn relieve(&self) {
        let _ = std::fs::remove_file(self.ballast());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The disk is unmounted lazily: a process that was killed may not be quite gone.
        let _ = Command::new("umount").arg("-l").arg(&self.folder).stderr(Stdio::null()).status();
    }
}
