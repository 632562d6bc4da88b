//! Why a run failed, as a sentence in the reader's language. Owns: reading the stored cause. Must not know: how a cause
//! is found; the judge writes it as JSON, and this reads the same words.

use crate::web::i18n::Message;
use crate::web::view::format;

/// A stored cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Cause {
    /// Printed, or wrote to files, more than allowed.
    Output {
        /// Allowed, bytes.
        limit_bytes: u64,
    },
    /// Used too much cpu time.
    Cpu {
        /// Measured, milliseconds.
        used_ms: u64,
        /// Allowed, milliseconds.
        limit_ms: u64,
    },
    /// Took too long by the clock.
    Wall {
        /// Measured, milliseconds.
        used_ms: u64,
        /// Allowed, milliseconds.
        limit_ms: u64,
    },
    /// Used too much memory.
    Memory {
        /// Highest seen, bytes.
        peak_bytes: u64,
        /// Allowed, bytes.
        limit_bytes: u64,
    },
    /// Exited with a code that isn't 0.
    ExitCode {
        /// The code.
        code: i32,
    },
    /// Ended by a signal.
    Signal {
        /// Its number.
        signal: i32,
        /// A fatal access lay close to the stack.
        stack_overflow_hint: bool,
    },
}

impl Cause {
    /// The cause in a run's column; `None` where there is none, or a newer judge wrote it.
    pub fn read(json: Option<&str>) -> Option<Self> {
        serde_json::from_str(json?).ok()
    }

    /// What happened, and what it usually means.
    pub fn sentence(self) -> Message {
        match self {
            Self::Output { limit_bytes } => Message::new("cause-output").with("limit", format::bytes(limit_bytes)),
            Self::Cpu { used_ms, limit_ms } => Message::new("cause-cpu")
                .with("used", format::seconds(used_ms))
                .with("limit", format::limit_seconds(limit_ms)),
            Self::Wall { used_ms, limit_ms } => Message::new("cause-wall")
                .with("used", format::seconds(used_ms))
                .with("limit", format::limit_seconds(limit_ms)),
            Self::Memory { peak_bytes, limit_bytes } if peak_bytes > limit_bytes => Message::new("cause-memory")
                .with("used", format::bytes(peak_bytes))
                .with("limit", format::bytes(limit_bytes)),
            Self::Memory { limit_bytes, .. } => {
                Message::new("cause-memory-asked").with("limit", format::bytes(limit_bytes))
            }
            Self::ExitCode { code } => Message::new("cause-exit-code").with("code", code),
            Self::Signal { stack_overflow_hint: true, .. } => Message::new("cause-stack"),
            Self::Signal { signal, .. } => match signal {
                4 => Message::new("cause-sigill"),
                6 => Message::new("cause-sigabrt"),
                7 => Message::new("cause-sigbus"),
                8 => Message::new("cause-sigfpe"),
                9 => Message::new("cause-sigkill"),
                11 => Message::new("cause-sigsegv"),
                13 => Message::new("cause-sigpipe"),
                31 => Message::new("cause-sigsys"),
                _ => Message::new("cause-signal").with("signal", signal),
            },
        }
    }
}
