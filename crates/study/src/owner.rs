//! Names for those who evaluate.

/// A name for worker `number` of this process, unique among workers everywhere.
pub fn owner(number: usize) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let nanos = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos());
    format!("{}-{}-{number}-{nanos}", host.trim(), std::process::id())
}
