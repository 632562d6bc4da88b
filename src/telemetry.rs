//! Logs. Owns: where they go and in what form, and that a panic is a line like any other. Must not know: what is logged.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;

use tracing_subscriber::EnvFilter;

/// Sends logs to standard error: as text on a terminal, as JSON lines elsewhere. `TOUCHSTONE_LOG` sets the level.
pub fn start(is_terminal: bool) {
    let filter = EnvFilter::try_from_env("TOUCHSTONE_LOG").unwrap_or_else(|_| EnvFilter::new("warn,touchstone=info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Another subscriber (a test's) may be there already; then that one is kept.
    let _ = if is_terminal { builder.with_target(false).try_init() } else { builder.json().try_init() };
    std::panic::set_hook(Box::new(panicked));
}

/// In the span of whatever panicked, so that the line says which request or job it was.
fn panicked(panic: &PanicHookInfo<'_>) {
    let words = panic.payload_as_str().unwrap_or("it said nothing");
    let at = panic.location().map(ToString::to_string).unwrap_or_default();
    let backtrace = Backtrace::capture();
    let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(at, backtrace, words, "panicked");
}
