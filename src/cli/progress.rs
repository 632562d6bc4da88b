//! Progress bars, on a terminal only.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::sync::PoisonError;

use indicatif::{ProgressBar, ProgressStyle};

use crate::judge::progress::Progress;

/// A bar on standard error; silent when that is no terminal.
pub struct Bar {
    bar: ProgressBar,
    part: Mutex<String>,
}

impl Bar {
    /// A bar for a piece of work called `what`.
    pub fn new(what: &str) -> Self {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new(1) } else { ProgressBar::hidden() };
        // The template is fixed; a mistake in it would only cost the looks.
        if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:28} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        Self { bar, part: Mutex::default() }
    }
}

/// A bar over bytes on standard error; hidden when that is no terminal.
pub fn bytes(what: &'static str, total: u64) -> ProgressBar {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(total) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:28} {bytes}/{total_bytes}") {
        bar.set_style(style);
    }
    bar.set_prefix(what);
    bar
}

impl Progress for Bar {
    fn step(&self, part: &str, done: usize, total: usize) {
        let mut current = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if *current != part {
            part.clone_into(&mut current);
            self.bar.set_message(part.to_owned());
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
