//! Small pictures of the desk's first page: a bar of shares, and a square for each worker. The words beside them say the
//! same. Must not know: what is shared.

use std::fmt;

/// Shares of a whole, from the left, each with the tone of its colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareBar {
    shares: Vec<(&'static str, u64)>,
    whole: u64,
}

impl ShareBar {
    /// Parts of a whole; what is left of it stays empty.
    pub fn new(shares: &[(&'static str, u64)], whole: u64) -> Self {
        let sum: u64 = shares.iter().map(|(_, share)| share).sum();
        Self { shares: shares.to_vec(), whole: whole.max(sum).max(1) }
    }
}

impl askama::filters::HtmlSafe for ShareBar {}

impl fmt::Display for ShareBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">")?;
        f.write_str("<rect width=\"100\" height=\"4\"/>")?;
        let mut from = 0;
        for &(tone, share) in &self.shares {
            let (start, end) = (from * 1_000 / self.whole, (from + share) * 1_000 / self.whole);
            from += share;
            let (x, width) = (start, end - start);
            write!(
                f,
                "<rect data-tone=\"{tone}\" x=\"{}.{}\" width=\"{}.{}\" height=\"4\"/>",
                x / 10,
                x % 10,
                width / 10,
                width % 10
            )?;
        }
        f.write_str("</svg>")
    }
}

/// A square for each worker, filled where one works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerSquares {
    /// How many work.
    pub busy: usize,
    /// How many there are.
    pub all: usize,
}

/// Squares that are drawn at most.
const SQUARES: usize = 32;

impl askama::filters::HtmlSafe for WorkerSquares {}

impl fmt::Display for WorkerSquares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.all.min(SQUARES);
        let width = count.max(1) * 14 - 2;
        write!(
            f,
            "<svg class=\"squares\" viewBox=\"0 0 {width} 12\" width=\"{width}\" height=\"12\" aria-hidden=\"true\">"
        )?;
        for at in 0..count {
            let tone = if at < self.busy { "busy" } else { "idle" };
            write!(f, "<rect data-tone=\"{tone}\" x=\"{}\" width=\"12\" height=\"12\" rx=\"2\"/>", at * 14)?;
        }
        f.write_str("</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stand_side_by_side() {
        let bar = ShareBar::new(&[("run", 1), ("wait", 2)], 4).to_string();
        assert!(bar.contains("data-tone=\"run\" x=\"0.0\" width=\"25.0\""), "{bar}");
        assert!(bar.contains("data-tone=\"wait\" x=\"25.0\" width=\"50.0\""), "{bar}");
        assert!(!ShareBar::new(&[], 0).to_string().contains("data-tone"));
        assert!(ShareBar::new(&[("run", 9)], 4).to_string().contains("width=\"100.0\""), "never more than all");
    }

    #[test]
    fn each_worker_has_a_square() {
        let squares = WorkerSquares { busy: 1, all: 3 }.to_string();
        assert_eq!((squares.matches("busy").count(), squares.matches("idle").count()), (1, 2), "{squares}");
        assert_eq!(WorkerSquares { busy: 0, all: 900 }.to_string().matches("<rect").count(), 32);
    }
}
