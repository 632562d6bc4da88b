//! The hidden commands under which the program runs as a part of the sandbox.
//!
//! Owns: recognising them. Must not know: what they do.

use std::path::PathBuf;

use super::doctor;
use super::spawner;

/// First argument of the spawner; the second is the first id of its slots.
const SPAWNER: &str = "__sandbox-spawner";
/// First argument of one of the doctor's probes; the second is its name.
pub(super) const PROBE: &str = "__sandbox-probe";

/// The arguments that start a spawner whose slots may use the ids from `first` on.
pub(super) fn spawner_arguments(first: u32) -> [String; 2] {
    [SPAWNER.to_owned(), first.to_string()]
}

/// The program that is running.
pub(super) fn own_executable() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}

/// To be called first thing in `main`, while there is only one thread: when this process was started as a part of the
/// sandbox it does its work and never returns.
pub fn run_if_helper() {
    let mut arguments = std::env::args_os().skip(1);
    let Some(command) = arguments.next() else { return };
    let argument = arguments.next().and_then(|argument| argument.into_string().ok());
    if command == SPAWNER
        && let Some(first) = argument.as_deref().and_then(|first| first.parse().ok())
    {
        spawner::main(first);
    }
    if command == PROBE
        && let Some(name) = argument
    {
        doctor::run_probe(&name);
    }
}
