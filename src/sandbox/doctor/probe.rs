//! What the doctor runs inside a sandbox: each probe tries to get at something that it must not.
//!
//! Owns: the attempts. Must not know: what to make of the result. A probe prints what it got at, one line each, and
//! nothing when it got nowhere.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use rustix::net::{AddressFamily, SocketType};
use rustix::thread::UnshareFlags;

use super::super::sys::{self, HarmlessCall};

/// Runs the probe of this name and ends the process: 0 when it ran at all.
pub(in super::super) fn run(name: &str) -> ! {
    let code = match attempt(name) {
        Some(reached) => {
            let mut text = reached.join("\n");
            text.truncate(4096);
            i32::from(io::stdout().write_all(text.as_bytes()).is_err())
        }
        None => 2,
    };
    sys::exit_now(code)
}

fn attempt(name: &str) -> Option<Vec<String>> {
    Some(match name {
        "files" => files(),
        "writing" => writing(),
        "network" => network(),
        "processes" => processes(),
        "rights" => rights(),
        "namespaces" => namespaces(),
        "system calls" => system_calls(),
        "cpu" => loop {
            std::hint::spin_loop();
        },
        "wall" => loop {
            std::thread::park();
        },
        "memory" => memory(),
        "output" => output(),
        _ => return None,
    })
}

fn files() -> Vec<String> {
    let secrets = ["/etc/shadow", "/etc/ssh", "/root", "/home", "/var", "/sys", "/proc/1/environ", "/proc/kcore"];
    let found = secrets.into_iter().filter(|path| fs::metadata(path).is_ok() && is_open(Path::new(path)));
    found.map(|path| format!("{path} can be read")).collect()
}

fn is_open(path: &Path) -> bool {
    if path.is_dir() { fs::read_dir(path).is_ok() } else { fs::File::open(path).is_ok() }
}

fn writing() -> Vec<String> {
    let mut reached = Vec::new();
    for folder in ["/", "/usr", "/usr/bin", "/etc", "/dev", "/box", "/proc"] {
        let file = Path::new(folder).join("touchstone-probe");
        if OpenOptions::new().write(true).create(true).truncate(true).open(&file).is_ok() {
            reached.push(format!("{folder} can be written"));
        }
    }
    reached
}

fn network() -> Vec<String> {
    let families = [("IPv4", AddressFamily::INET), ("IPv6", AddressFamily::INET6), ("netlink", AddressFamily::NETLINK)];
    let opened = families.into_iter().filter(|(_, family)| {
        [SocketType::STREAM, SocketType::DGRAM, SocketType::RAW]
            .into_iter()
            .any(|kind| rustix::net::socket(*family, kind, None).is_ok())
    });
    opened.map(|(name, _)| format!("a socket of the family {name} can be opened")).collect()
}

fn processes() -> Vec<String> {
    let own = std::process::id();
    let mut reached = Vec::new();
    if own == 1 {
        reached.push("a program is process 1, which signals don't end".to_owned());
    }
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    reached.extend(pids.filter(|pid| *pid != own).map(|pid| format!("process {pid} can be seen")));
    reached
}

fn rights() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
    let mut reached = Vec::new();
    for (name, wanted) in
        [("CapEff:", "0000000000000000"), ("CapPrm:", "0000000000000000"), ("NoNewPrivs:", "1"), ("Seccomp:", "2")]
    {
        let value = field(name).unwrap_or_default();
        if value != wanted {
            reached.push(format!("{name} {value} in /proc/self/status, where {wanted} should be"));
        }
    }
    if rustix::process::geteuid().is_root() {
        reached.push("a program runs as user 0 of its namespace".to_owned());
    }
    reached
}

fn namespaces() -> Vec<String> {
    let kinds = [
        ("user", UnshareFlags::NEWUSER),
        ("mount", UnshareFlags::NEWNS),
        ("pid", UnshareFlags::NEWPID),
        ("network", UnshareFlags::NEWNET),
    ];
    let made = kinds.into_iter().filter(|(_, flag)| sys::unshare(*flag).is_ok());
    made.map(|(name, _)| format!("a {name} namespace can be created")).collect()
}

fn system_calls() -> Vec<String> {
    use HarmlessCall::{Bpf, IoUringSetup, Keyctl, PerfEventOpen, Userfaultfd};
    let calls = [Bpf, IoUringSetup, Keyctl, PerfEventOpen, Userfaultfd];
    let passed = calls.into_iter().filter(|call| {
        // Any other error comes from the call itself, so the filter has let it through.
        sys::try_call(*call).map_or_else(|e| e.raw_os_error() != Some(libc::EPERM), |()| true)
    });
    passed.map(|call| format!("the call {call:?} is not filtered")).collect()
}

fn memory() -> Vec<String> {
    let mut held = Vec::new();
    loop {
        held.push(vec![1u8; 1 << 20]);
        if held.len() > 1 << 10 {
            return vec![format!("{} MiB could be used", std::hint::black_box(&held).len())];
        }
    }
}

fn output() -> Vec<String> {
    let block = [b'x'; 1 << 14];
    while io::stdout().write_all(&block).is_ok() {}
    vec!["writing failed before the limit".to_owned()]
}
