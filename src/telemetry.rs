//! Logs. Owns: where they go and in what form. Must not know: what is logged.

use tracing_subscriber::EnvFilter;

/// Sends logs to standard error: as text on a terminal, as JSON lines elsewhere. `TOUCHSTONE_LOG` sets the level.
pub fn start(is_terminal: bool) {
    let filter = EnvFilter::try_from_env("TOUCHSTONE_LOG").unwrap_or_else(|_| EnvFilter::new("warn,touchstone=info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Another subscriber (a test's) may be there already; then that one is kept.
    let _ = if is_terminal { builder.with_target(false).try_init() } else { builder.json().try_init() };
}
