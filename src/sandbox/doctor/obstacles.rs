//! The usual reasons why a host refuses namespaces or cgroups, and what to do about each.
//!
//! Owns: recognising them by the host's own settings. Must not know: the sandbox.

use std::fs;
use std::path::{Path, PathBuf};

/// A host's settings.
pub(super) struct Host {
    root: PathBuf,
}

/// A reason with its remedy.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    pub(super) reason: String,
    pub(super) fix: String,
}

fn obstacle(reason: &str, fix: &str) -> Obstacle {
    Obstacle { reason: reason.to_owned(), fix: fix.to_owned() }
}

impl Host {
    /// The one that this runs on.
    pub(super) fn this() -> Self {
        Self { root: PathBuf::from("/") }
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok().map(|text| text.trim().to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    fn in_container(&self) -> bool {
        self.exists(".dockerenv") || self.exists("run/.containerenv")
    }

    /// Why namespaces may be refused, likeliest first.
    pub(super) fn against_namespaces(&self) -> Vec<Obstacle> {
        let mut found = Vec::new();
        if self.read("proc/sys/user/max_user_namespaces").as_deref() == Some("0") {
            found.push(obstacle(
                "user.max_user_namespaces is 0, so nobody may create a user namespace",
                "sysctl -w user.max_user_namespaces=15000 (and the same line in /etc/sysctl.d/90-touchstone.conf)",
            ));
        }
        if self.read("proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0") {
            found.push(obstacle(
                "kernel.unprivileged_userns_clone is 0, so only root may create a user namespace",
                "sysctl -w kernel.unprivileged_userns_clone=1 (and the same line in /etc/sysctl.d/90-touchstone.conf), \
                 or run as root",
            ));
        }
        if self.read("proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1") {
            found.push(obstacle(
                "Ubuntu's AppArmor rule takes all rights in a new user namespace from programs without a profile \
                 (kernel.apparmor_restrict_unprivileged_userns is 1)",
                "a profile for this program, /etc/apparmor.d/touchstone: `abi <abi/4.0>, include <tunables/global> \
                 profile touchstone /usr/local/bin/touchstone flags=(unconfined) { userns, }`, then `systemctl reload \
                 apparmor`; or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0; or run as root",
            ));
        }
        let status = self.read("proc/self/status").unwrap_or_default();
        let filtered = status.lines().any(|line| line.split_whitespace().eq(["Seccomp:", "2"]));
        if filtered || self.in_container() {
            found.push(obstacle(
                "this runs in a container or under a seccomp profile, which usually forbids new namespaces and mounts",
                "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
                 --security-opt systempaths=unconfined (the same with podman), and --cgroupns=private with a writable \
                 cgroup",
            ));
        }
        if self.has_masked_proc() {
            found.push(obstacle(
                "parts of /proc are covered by other mounts, and then a user namespace may not mount a /proc of its own",
                "docker run --security-opt systempaths=unconfined (podman: --security-opt unmask=ALL)",
            ));
        }
        if let Some(release) = self.read("proc/sys/kernel/osrelease").filter(|release| older(release, (5, 12))) {
            found.push(obstacle(
                &format!("the kernel is {release}; mount_setattr came with 5.12"),
                "a kernel of at least 5.12",
            ));
        }
        found
    }

    fn has_masked_proc(&self) -> bool {
        let mounts = self.read("proc/self/mountinfo").unwrap_or_default();
        mounts.lines().filter_map(|line| line.split(' ').nth(4)).any(|at| {
            Path::new(at).starts_with("/proc") && at != "/proc" && !at.starts_with("/proc/sys/fs/binfmt_misc")
        })
    }

    /// How to get control groups.
    pub(super) fn against_cgroups(&self, root: bool) -> String {
        // Some containers run a systemd of their own, which can delegate as on any machine.
        if self.in_container() && !self.exists("run/systemd/system") {
            return "docker run --cgroupns=private with /sys/fs/cgroup mounted read-write".to_owned();
        }
        if root {
            return "mount a cgroup2 hierarchy whose memory and pids controllers aren't in use by version 1 \
                    (kernel command line: systemd.unified_cgroup_hierarchy=1)"
                .to_owned();
        }
        "systemd-run --user --scope -p Delegate=yes touchstone serve; in a unit file: Delegate=yes under [Service]"
            .to_owned()
    }
}

fn older(release: &str, than: (u32, u32)) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < than
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    fn host(files: &[(&str, &str)]) -> io::Result<(tempfile::TempDir, Host)> {
        let folder = tempfile::tempdir()?;
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
            fs::write(path, text)?;
        }
        let root = folder.path().to_owned();
        Ok((folder, Host { root }))
    }

    #[test]
    fn each_obstacle_is_named_with_its_fix() -> io::Result<()> {
        for (path, text, fix) in [
            ("proc/sys/user/max_user_namespaces", "0\n", "user.max_user_namespaces=15000"),
            ("proc/sys/kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"),
            ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "/etc/apparmor.d/touchstone"),
            ("proc/self/status", "Name:\tx\nSeccomp:\t2\n", "seccomp=unconfined"),
            (".dockerenv", "", "seccomp=unconfined"),
            ("proc/self/mountinfo", "1 2 0:5 / /proc/kcore rw - tmpfs tmpfs rw\n", "systempaths=unconfined"),
            ("proc/sys/kernel/osrelease", "5.10.0-28-amd64\n", "at least 5.12"),
        ] {
            let (_folder, host) = host(&[(path, text)])?;
            let found = host.against_namespaces();
            assert_eq!(found.len(), 1, "{path}");
            assert!(found[0].fix.contains(fix), "{path}: {}", found[0].fix);
        }
        Ok(())
    }

    #[test]
    fn a_willing_host_has_none() -> io::Result<()> {
        let (_folder, host) = host(&[
            ("proc/sys/user/max_user_namespaces", "96364\n"),
            ("proc/sys/kernel/unprivileged_userns_clone", "1\n"),
            ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n"),
            ("proc/self/status", "Seccomp:\t0\n"),
            ("proc/self/mountinfo", "1 2 0:5 / /proc rw - proc proc rw\n"),
            ("proc/sys/kernel/osrelease", "6.1.0\n"),
        ])?;
        assert_eq!(host.against_namespaces(), []);
        Ok(())
    }

    #[test]
    fn an_undelegated_cgroup_has_its_line() -> io::Result<()> {
        let delegate = "systemd-run --user --scope -p Delegate=yes";
        let (_folder, plain) = host(&[])?;
        assert!(plain.against_cgroups(false).contains(delegate));
        let (_folder, container) = host(&[(".dockerenv", "")])?;
        assert!(container.against_cgroups(false).contains("docker run --cgroupns=private"));
        let (_folder, with_systemd) = host(&[(".dockerenv", ""), ("run/systemd/system/x", "")])?;
        assert!(with_systemd.against_cgroups(false).contains(delegate));
        Ok(())
    }
}
