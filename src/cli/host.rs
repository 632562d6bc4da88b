//! What the server tells its health page of the host: its workers, what `doctor` found, how the disk is used.

use std::path::Path;

use tokio::sync::watch;

use crate::config::Config;
use crate::sandbox::doctor::Finding;
use crate::web::{DiskUse, Host, HostFinding};

/// A finding as the page shows it.
pub fn finding(finding: Finding) -> HostFinding {
    HostFinding {
        layer: finding.layer.to_owned(),
        state: finding.state.as_str(),
        detail: finding.detail,
        fix: finding.fix,
    }
}

/// The host of a server with these settings.
pub fn of(
    config: &Config,
    workers: Vec<String>,
    findings: Vec<HostFinding>,
    farm_trouble: Option<watch::Receiver<Option<String>>>,
) -> Host {
    let (data, database, cache) = (config.data.clone(), config.database(), config.cache());
    let measure = move || DiskUse {
        database: Some(["", "-wal", "-shm"].iter().filter_map(|ending| file_bytes(&database, ending)).sum()),
        cache: folder_bytes(&cache),
        free: rustix::fs::statvfs(&data).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
    };
    Host { workers, findings, measure: Some(Box::new(measure)), farm_trouble }
}

/// The size of the file with this ending behind its name.
fn file_bytes(path: &Path, ending: &str) -> Option<u64> {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    std::fs::metadata(name).ok().map(|file| file.len())
}

/// The size of all files below a folder; what goes while it is looked at counts for nothing.
fn folder_bytes(folder: &Path) -> Option<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        bytes += if kind.is_dir() {
            folder_bytes(&entry.path()).unwrap_or_default()
        } else {
            entry.metadata().map_or(0, |file| file.len())
        };
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_below_a_folder_count() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("a")).expect("a folder in it");
        std::fs::write(folder.path().join("a/b"), b"12345").expect("a file");
        std::fs::write(folder.path().join("c"), b"123").expect("a file");
        assert_eq!(folder_bytes(folder.path()), Some(8));
        assert_eq!(file_bytes(&folder.path().join("a/b"), ""), Some(5));
        assert_eq!(folder_bytes(&folder.path().join("none")), None);
    }
}
