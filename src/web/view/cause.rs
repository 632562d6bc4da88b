//! Why a run failed, as a sentence in the reader's language. Must not know: how a cause is found.

use crate::domain::cause::Cause;
use crate::web::i18n::Message;
use crate::web::view::format;

/// The cause in a run's column; `None` where there is none, or a newer judge wrote it.
pub fn read(json: Option<&str>) -> Option<Cause> {
    serde_json::from_str(json?).ok()
}

/// What happened, and what it usually means.
pub fn sentence(cause: Cause) -> Message {
    match cause {
        Cause::Output { limit_bytes } => Message::new("cause-output").with("limit", format::bytes(limit_bytes)),
        Cause::Cpu { used_ms, limit_ms } => Message::new("cause-cpu")
            .with("used", format::seconds(used_ms))
            .with("limit", format::limit_seconds(limit_ms)),
        Cause::Wall { used_ms, limit_ms } => Message::new("cause-wall")
            .with("used", format::seconds(used_ms))
            .with("limit", format::limit_seconds(limit_ms)),
        Cause::Memory { peak_bytes, limit_bytes } if peak_bytes > limit_bytes => Message::new("cause-memory")
            .with("used", format::bytes(peak_bytes))
            .with("limit", format::bytes(limit_bytes)),
        Cause::Memory { limit_bytes, .. } => {
            Message::new("cause-memory-asked").with("limit", format::bytes(limit_bytes))
        }
        Cause::ExitCode { code } => Message::new("cause-exit-code").with("code", code),
        Cause::Signal { stack_overflow_hint: true, .. } => Message::new("cause-stack"),
        Cause::Signal { signal, .. } => match signal {
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
