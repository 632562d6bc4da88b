//! The whole suite once more, without root's rights.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::harness::{HELPER, PROGRAMS, helper, mode_of, programs};

/// `nobody`, who owns nothing anywhere.
const NOBODY: &str = "65534";

#[test]
fn everything_holds_for_an_ordinary_user_too() {
    if !rustix::process::geteuid().is_root() {
        // This very run is the one.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    fs::create_dir(place("tmp")).unwrap();
    fs::create_dir(place("programs")).unwrap();
    let mut copies = vec![(helper(), place("touchstone"), 0o755), (env::current_exe().unwrap(), place("tests"), 0o755)];
    for name in ["static", "dynamic", "attack", "setuid"] {
        copies.push((programs().join(name), place("programs").join(name), mode_of(name)));
    }
    for (from, to, mode) in copies {
        fs::copy(from, &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(mode)).unwrap();
    }
    for (path, mode) in [(folder.path().to_owned(), 0o755), (place("programs"), 0o755), (place("tmp"), 0o777)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let done = Command::new("setpriv")
        .args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--inh-caps=-all", "--"])
        .arg(place("tests"))
        .current_dir("/")
        .env(HELPER, place("touchstone"))
        .env(PROGRAMS, place("programs"))
        .env("TMPDIR", place("tmp"))
        .output()
        .expect("setpriv (util-linux) is installed");
    assert!(
        done.status.success(),
        "{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}
