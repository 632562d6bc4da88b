//! Says whether this host can hold programs, by trying to get out.
//!
//! Owns: one finding per layer, with what was tried and how to mend it. Must not know: how findings are shown.

mod examine;
mod obstacles;
mod probe;

pub use examine::examine;
pub(super) use probe::run as run_probe;

/// How well a layer holds, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As it should be.
    Ok,
    /// Programs are held, but something is measured or limited less well.
    Weaker,
    /// A program could get out or do harm. Nothing may be judged.
    Unsafe,
}

impl State {
    /// Its word: `ok`, `weaker` or `unsafe`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Weaker => "weaker",
            Self::Unsafe => "unsafe",
        }
    }

    /// The exit code that says it: 0, 1 or 2.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Weaker => 1,
            Self::Unsafe => 2,
        }
    }
}

/// What was found out about one layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its name, such as "network".
    pub layer: &'static str,
    /// How well it holds.
    pub state: State,
    /// What was tried and what was seen.
    pub detail: String,
    /// What to do about it, as exactly as can be told.
    pub fix: Option<String>,
}

/// The worst state of all; [`State::Unsafe`] when nothing was examined.
pub fn worst(findings: &[Finding]) -> State {
    findings.iter().map(|finding| finding.state).max().unwrap_or(State::Unsafe)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(state: State) -> Finding {
        Finding { layer: "test", state, detail: String::new(), fix: None }
    }

    #[test]
    fn the_worst_decides() {
        assert_eq!(worst(&[finding(State::Ok), finding(State::Weaker), finding(State::Ok)]), State::Weaker);
        assert_eq!(worst(&[finding(State::Unsafe), finding(State::Weaker)]).exit_code(), 2);
        assert_eq!(worst(&[finding(State::Ok)]).exit_code(), 0);
        assert_eq!(worst(&[]), State::Unsafe);
    }
}
