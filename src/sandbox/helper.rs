//! The hidden commands under which the program runs as a part of the sandbox.
//!
//! Owns: recognising them. Must not know: what they do.

use std::path::PathBuf;

use super::doctor;
use super::keeper;

/// First argument of a slot's keeper; the second is its first id.
const KEEPER: &str = "__sandbox-keeper";
/// First argument of one of the doctor's probes; the second is its name.
pub(super) const PROBE: &str = "__sandbox-probe";

/// The arguments that start a keeper whose slot may use the ids `base` and `base + 1`.
pub(super) fn keeper_arguments(base: u32) -> [String; 2] {
    [KEEPER.to_owned(), base.to_string()]
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
    if command == KEEPER
        && let Some(base) = argument.as_deref().and_then(|base| base.parse().ok())
    {
        keeper::main(base);
    }
    if command == PROBE
        && let Some(name) = argument
    {
        doctor::run_probe(&name);
    }
}
