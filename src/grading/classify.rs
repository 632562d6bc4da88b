//! What one run's facts mean, before anybody looks at its output.
//!
//! Owns: the order in which causes win (OLE > TLE > MLE > RTE) and the sentences about them. Must not know the output's
//! contents. Only what the sandbox measured counts: a program that kills itself with SIGKILL or exits 137 is a crash.

use std::fmt;

use crate::domain::limits::Limits;
use crate::domain::verdict::Verdict;
use crate::sandbox::{End, KillReason, RunReport};

/// The facts of a run that decide its verdict: a [`RunReport`] without its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunFacts {
    /// How the first process ended.
    pub end: End,
    /// The limit for which the sandbox ended the run.
    pub killed: Option<KillReason>,
    /// User + system time of the whole tree, microseconds.
    pub cpu_us: u64,
    /// Wall-clock time, microseconds.
    pub wall_us: u64,
    /// Peak resident memory, bytes.
    pub memory_bytes: u64,
    /// Whether the kernel killed something in it for memory.
    pub oom_killed: bool,
    /// Whether it printed more than the output limit.
    pub output_truncated: bool,
    /// Whether a fatal memory access lay close to the stack.
    pub stack_overflow_hint: bool,
}

impl From<&RunReport> for RunFacts {
    fn from(report: &RunReport) -> Self {
        Self {
            end: report.end,
            killed: report.killed,
            cpu_us: report.cpu_us,
            wall_us: report.wall_us,
            memory_bytes: report.memory_bytes,
            oom_killed: report.oom_killed,
            output_truncated: report.stdout.truncated,
            stack_overflow_hint: report.stack_overflow_hint,
        }
    }
}

/// What the facts alone say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classified {
    /// The verdict stands, whatever was printed.
    Decided {
        /// The verdict; never AC or WA.
        verdict: Verdict,
        /// Why.
        cause: Cause,
    },
    /// It exited with 0 within its limits: its output decides.
    NeedsChecker,
}

/// Why a run failed without its output being looked at. The sentence is its `Display`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Cause {
    /// Printed, or wrote to files, more than allowed.
    Output {
        /// The output limit, bytes.
        limit_bytes: u64,
    },
    /// Used too much cpu time.
    Cpu {
        /// Measured, milliseconds.
        used_ms: u64,
        /// Allowed, milliseconds.
        limit_ms: u64,
    },
    /// Took too long by the clock without using its cpu time.
    Wall {
        /// Measured, milliseconds.
        used_ms: u64,
        /// Allowed, milliseconds.
        limit_ms: u64,
    },
    /// Used too much memory.
    Memory {
        /// Highest seen, bytes; may lie below the limit when a request for more was what ended it.
        peak_bytes: u64,
        /// Allowed, bytes.
        limit_bytes: u64,
    },
    /// Exited with a code that isn't 0.
    ExitCode {
        /// The code.
        code: i32,
    },
    /// Ended by a signal that the sandbox didn't send.
    Signal {
        /// Its number.
        signal: i32,
        /// A fatal access lay close to the stack.
        stack_overflow_hint: bool,
    },
}

impl Cause {
    /// The verdict that this cause leads to.
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Output { .. } => Verdict::OutputLimit,
            Self::Cpu { .. } | Self::Wall { .. } => Verdict::TimeLimit,
            Self::Memory { .. } => Verdict::MemoryLimit,
            Self::ExitCode { .. } | Self::Signal { .. } => Verdict::RunTimeError,
        }
    }
}

/// Names what happened to a run that ended by itself or was ended by the sandbox.
pub fn classify(facts: &RunFacts, limits: &Limits) -> Classified {
    match cause(facts, limits) {
        Some(cause) => Classified::Decided { verdict: cause.verdict(), cause },
        None => Classified::NeedsChecker,
    }
}

fn cause(facts: &RunFacts, limits: &Limits) -> Option<Cause> {
    let killed = |reason| facts.killed == Some(reason);
    // Compared in microseconds: a run of exactly the limit is within it.
    let over = |used_us: u64, limit_ms: u64| used_us > limit_ms.saturating_mul(1_000);

    if killed(KillReason::Output) || facts.output_truncated {
        return Some(Cause::Output { limit_bytes: limits.output_bytes });
    }
    if killed(KillReason::Cpu) || over(facts.cpu_us, limits.cpu_ms) {
        return Some(Cause::Cpu { used_ms: facts.cpu_us / 1_000, limit_ms: limits.cpu_ms });
    }
    if killed(KillReason::Wall) || over(facts.wall_us, limits.wall_ms) {
        return Some(Cause::Wall { used_ms: facts.wall_us / 1_000, limit_ms: limits.wall_ms });
    }
    if killed(KillReason::Memory) || facts.oom_killed || facts.memory_bytes > limits.memory_bytes {
        return Some(Cause::Memory { peak_bytes: facts.memory_bytes, limit_bytes: limits.memory_bytes });
    }
    match facts.end {
        End::Exited(0) => None,
        End::Exited(code) => Some(Cause::ExitCode { code }),
        End::Signaled(signal) => {
            // Only a bad access can be an overflow; the hint on anything else would mislead.
            let stack_overflow_hint = facts.stack_overflow_hint && matches!(signal, 7 | 11);
            Some(Cause::Signal { signal, stack_overflow_hint })
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Output { limit_bytes } => {
                write!(f, "wrote more than the output limit of {}", Mebibytes(limit_bytes))
            }
            Self::Cpu { used_ms, limit_ms } => {
                write!(f, "used {used_ms} ms of cpu time; the limit is {limit_ms} ms")
            }
            Self::Wall { used_ms, limit_ms } => {
                write!(f, "idle too long: {used_ms} ms passed by the clock; at most {limit_ms} ms may")
            }
            Self::Memory { peak_bytes, limit_bytes } if peak_bytes > limit_bytes => {
                write!(f, "used {} of memory; the limit is {}", Mebibytes(peak_bytes), Mebibytes(limit_bytes))
            }
            Self::Memory { limit_bytes, .. } => {
                write!(f, "asked for more memory than the limit of {}", Mebibytes(limit_bytes))
            }
            Self::ExitCode { code } => write!(f, "exited with code {code} instead of 0"),
            Self::Signal { signal, stack_overflow_hint } => {
                match signal_name(signal) {
                    Some((name, meaning)) => write!(f, "ended by {name} ({meaning})")?,
                    None => write!(f, "ended by signal {signal}")?,
                }
                if stack_overflow_hint {
                    f.write_str("; stack overflow?")?;
                }
                Ok(())
            }
        }
    }
}

/// Bytes for people.
struct Mebibytes(u64);

impl fmt::Display for Mebibytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, tenth) = (self.0 >> 20, ((self.0 & 0xF_FFFF) * 10) >> 20);
        if tenth == 0 { write!(f, "{whole} MiB") } else { write!(f, "{whole}.{tenth} MiB") }
    }
}

/// A signal's name and what it usually means, by its number on Linux x86-64 and aarch64 (signal(7)).
pub const fn signal_name(signal: i32) -> Option<(&'static str, &'static str)> {
    Some(match signal {
        1 => ("SIGHUP", "hang-up"),
        2 => ("SIGINT", "interrupt"),
        3 => ("SIGQUIT", "quit"),
        4 => ("SIGILL", "illegal instruction"),
        5 => ("SIGTRAP", "trap"),
        6 => ("SIGABRT", "abort: a failed assertion or an uncaught exception?"),
        7 => ("SIGBUS", "bus error"),
        8 => ("SIGFPE", "arithmetic error: a division by zero?"),
        9 => ("SIGKILL", "it killed itself"),
        10 => ("SIGUSR1", "user signal 1"),
        11 => ("SIGSEGV", "invalid memory access"),
        12 => ("SIGUSR2", "user signal 2"),
        13 => ("SIGPIPE", "wrote to a closed pipe"),
        14 => ("SIGALRM", "its own alarm"),
        15 => ("SIGTERM", "it ended itself"),
        16 => ("SIGSTKFLT", "coprocessor stack fault"),
        17 => ("SIGCHLD", "child ended"),
        18 => ("SIGCONT", "continue"),
        19 => ("SIGSTOP", "stop"),
        20 => ("SIGTSTP", "terminal stop"),
        21 => ("SIGTTIN", "terminal input"),
        22 => ("SIGTTOU", "terminal output"),
        23 => ("SIGURG", "urgent data"),
        24 => ("SIGXCPU", "its own cpu time limit"),
        25 => ("SIGXFSZ", "file too large"),
        26 => ("SIGVTALRM", "virtual timer"),
        27 => ("SIGPROF", "profiling timer"),
        28 => ("SIGWINCH", "window size"),
        29 => ("SIGIO", "input or output possible"),
        30 => ("SIGPWR", "power failure"),
        31 => ("SIGSYS", "forbidden system call"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn limits() -> Limits {
        Limits {
            cpu_ms: 1_000,
            wall_ms: Limits::wall_for_cpu(1_000),
            memory_bytes: 256 * MIB,
            output_bytes: 8 * MIB,
            processes: 64,
        }
    }

    fn exited(code: i32) -> RunFacts {
        RunFacts {
            end: End::Exited(code),
            killed: None,
            cpu_us: 400_000,
            wall_us: 500_000,
            memory_bytes: 10 * MIB,
            oom_killed: false,
            output_truncated: false,
            stack_overflow_hint: false,
        }
    }

    fn signaled(signal: i32) -> RunFacts {
        RunFacts { end: End::Signaled(signal), ..exited(0) }
    }

    fn killed(reason: KillReason) -> RunFacts {
        RunFacts { killed: Some(reason), ..signaled(9) }
    }

    #[rstest]
    #[case::exited_well(exited(0), None)]
    #[case::exit_code(exited(1), Some("RTE exited with code 1 instead of 0"))]
    #[case::exit_137_is_its_own(exited(137), Some("RTE exited with code 137 instead of 0"))]
    #[case::exit_152_is_its_own(exited(152), Some("RTE exited with code 152 instead of 0"))]
    #[case::exit_124_is_its_own(exited(124), Some("RTE exited with code 124 instead of 0"))]
    #[case::segv(signaled(11), Some("RTE ended by SIGSEGV (invalid memory access)"))]
    #[case::stack(
        RunFacts { stack_overflow_hint: true, ..signaled(11) },
        Some("RTE ended by SIGSEGV (invalid memory access); stack overflow?")
    )]
    #[case::hint_without_access(
        RunFacts { stack_overflow_hint: true, ..signaled(8) },
        Some("RTE ended by SIGFPE (arithmetic error: a division by zero?)")
    )]
    #[case::abort(signaled(6), Some("RTE ended by SIGABRT (abort: a failed assertion or an uncaught exception?)"))]
    #[case::ill(signaled(4), Some("RTE ended by SIGILL (illegal instruction)"))]
    #[case::kills_itself(signaled(9), Some("RTE ended by SIGKILL (it killed itself)"))]
    #[case::xcpu_itself(signaled(24), Some("RTE ended by SIGXCPU (its own cpu time limit)"))]
    #[case::realtime_signal(signaled(34), Some("RTE ended by signal 34"))]
    #[case::cpu_at_the_limit(RunFacts { cpu_us: 1_000_000, ..exited(0) }, None)]
    #[case::cpu_over(
        RunFacts { cpu_us: 1_000_001, ..exited(0) },
        Some("TLE used 1000 ms of cpu time; the limit is 1000 ms")
    )]
    #[case::cpu_killed(
        RunFacts { cpu_us: 1_104_000, ..killed(KillReason::Cpu) },
        Some("TLE used 1104 ms of cpu time; the limit is 1000 ms")
    )]
    #[case::right_then_never_ends(
        RunFacts { wall_us: 3_010_000, ..killed(KillReason::Wall) },
        Some("TLE idle too long: 3010 ms passed by the clock; at most 3000 ms may")
    )]
    #[case::oom(
        RunFacts { oom_killed: true, memory_bytes: 256 * MIB, ..signaled(9) },
        Some("MLE asked for more memory than the limit of 256 MiB")
    )]
    #[case::oom_of_a_child(
        RunFacts { oom_killed: true, ..exited(0) },
        Some("MLE asked for more memory than the limit of 256 MiB")
    )]
    #[case::peak_over(
        RunFacts { memory_bytes: 300 * MIB + MIB / 2, ..exited(0) },
        Some("MLE used 300.5 MiB of memory; the limit is 256 MiB")
    )]
    #[case::memory_at_the_limit(RunFacts { memory_bytes: 256 * MIB, ..exited(0) }, None)]
    #[case::memory_killed(killed(KillReason::Memory), Some("MLE asked for more memory than the limit of 256 MiB"))]
    #[case::output_killed(killed(KillReason::Output), Some("OLE wrote more than the output limit of 8 MiB"))]
    #[case::output_cut(
        RunFacts { output_truncated: true, ..exited(0) },
        Some("OLE wrote more than the output limit of 8 MiB")
    )]
    #[case::output_beats_time(
        RunFacts { cpu_us: 9_000_000, ..killed(KillReason::Output) },
        Some("OLE wrote more than the output limit of 8 MiB")
    )]
    #[case::time_beats_memory(
        RunFacts { oom_killed: true, cpu_us: 1_200_000, ..signaled(9) },
        Some("TLE used 1200 ms of cpu time; the limit is 1000 ms")
    )]
    #[case::memory_beats_crash(
        RunFacts { memory_bytes: 257 * MIB, ..signaled(6) },
        Some("MLE used 257 MiB of memory; the limit is 256 MiB")
    )]
    fn facts_lead_to(#[case] facts: RunFacts, #[case] expected: Option<&str>) {
        let said = match classify(&facts, &limits()) {
            Classified::NeedsChecker => None,
            Classified::Decided { verdict, cause } => Some(format!("{verdict} {cause}")),
        };
        assert_eq!(said.as_deref(), expected);
    }

    #[test]
    fn causes_are_stored_as_json() {
        let cause = Cause::Signal { signal: 11, stack_overflow_hint: true };
        let json = serde_json::to_string(&cause).unwrap();
        assert_eq!(json, r#"{"cause":"signal","signal":11,"stack_overflow_hint":true}"#);
        assert_eq!(serde_json::from_str::<Cause>(&json).unwrap(), cause);
    }
}
