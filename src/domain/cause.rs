//! Why a run failed, whatever its output says: one type from the judge to the pages, stored as JSON.
//!
//! Owns: its verdict and its English sentence. Must not know: how it is found out (`grading::classify`), other languages
//! (`web::view::cause`).

use std::fmt;

use super::verdict::Verdict;

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
