//! Contests: when they run and when the board freezes. Field meanings are CLICS 2023-06's.

use super::time::EpochMs;

/// Where a contest is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The start lies ahead, or isn't set.
    Before,
    /// Submissions count.
    Running,
    /// Over.
    Ended,
}

/// A contest's times. The practice contest has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContestTimes {
    /// When it starts.
    pub start: EpochMs,
    /// How long it lasts, milliseconds; `None` lasts for ever.
    pub duration_ms: Option<i64>,
    /// For how long before the end the public board is frozen, milliseconds.
    pub freeze_ms: Option<i64>,
    /// Since when its clock stands still: of the countdown before the start, of the contest after it.
    pub paused: Option<EpochMs>,
}

impl ContestTimes {
    /// What the contest's clock shows at `now`: a pause holds it.
    pub fn clock(&self, now: EpochMs) -> EpochMs {
        self.paused.map_or(now, |paused| paused.min(now))
    }

    /// The phase at `now`. A submission at or after the end doesn't count (ICPC), so the end belongs to `Ended`.
    pub fn phase(&self, now: EpochMs) -> Phase {
        let passed = self.clock(now).since(self.start);
        if passed < 0 {
            Phase::Before
        } else if self.duration_ms.is_some_and(|duration| passed >= duration) {
            Phase::Ended
        } else {
            Phase::Running
        }
    }

    /// When it ends.
    pub fn end(&self) -> Option<EpochMs> {
        self.duration_ms.map(|duration| self.start.plus_ms(duration))
    }

    /// When the board freezes.
    pub fn freeze(&self) -> Option<EpochMs> {
        Some(self.end()?.plus_ms(-self.freeze_ms?))
    }

    /// The next moment after `now` at which the phase or the freeze changes by itself.
    pub fn next_change(&self, now: EpochMs) -> Option<EpochMs> {
        if self.paused.is_some() {
            return None;
        }
        [Some(self.start), self.freeze(), self.end()].into_iter().flatten().filter(|at| *at > now).min()
    }
}

/// Why a text is no span of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no span of time; write hours and minutes, such as 5:00")]
pub struct BadSpan(pub String);

/// Milliseconds of `h:mm` or `h:mm:ss`.
///
/// # Errors
/// [`BadSpan`], also for a span of more than ten years.
pub fn parse_span(text: &str) -> Result<i64, BadSpan> {
    let bad = || BadSpan(text.to_owned());
    let parts: Vec<&str> = text.trim().split(':').collect();
    let number = |part: &str| -> Option<i64> {
        (!part.is_empty() && part.len() <= 5 && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse().ok())?
    };
    let (hours, minutes, seconds) = match parts.as_slice() {
        [hours, minutes] => (*hours, *minutes, "0"),
        [hours, minutes, seconds] => (*hours, *minutes, *seconds),
        _ => return Err(bad()),
    };
    match (number(hours), number(minutes), number(seconds)) {
        (Some(hours @ 0..=87_600), Some(minutes @ 0..60), Some(seconds @ 0..60)) => {
            Ok(((hours * 60 + minutes) * 60 + seconds) * 1_000)
        }
        _ => Err(bad()),
    }
}

/// A span as [`parse_span`] reads it; seconds only where there are any.
pub fn span_text(ms: i64) -> String {
    let seconds = ms / 1_000;
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if rest == 0 { format!("{hours}:{minutes:02}") } else { format!("{hours}:{minutes:02}:{rest:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_they_are_written() {
        for (text, ms) in [("5:00", 18_000_000), ("0:01", 60_000), ("0:00:30", 30_000), ("100:05", 360_300_000)] {
            assert_eq!(parse_span(text), Ok(ms));
            assert_eq!(span_text(ms), text);
        }
        for bad in ["", "5", "5:60", "-1:00", "1:2:3:4", "a:00", "99999:00"] {
            assert!(parse_span(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pause_holds_the_clock() {
        let times = ContestTimes { start: EpochMs(100), duration_ms: Some(50), freeze_ms: Some(10), paused: None };
        assert_eq!(
            [99, 100, 149, 150].map(|now| times.phase(EpochMs(now))),
            [Phase::Before, Phase::Running, Phase::Running, Phase::Ended]
        );
        assert_eq!(
            [0, 100, 140, 150].map(|now| times.next_change(EpochMs(now)).map(|at| at.0)),
            [Some(100), Some(140), Some(150), None]
        );
        let held = |at| ContestTimes { paused: Some(EpochMs(at)), ..times };
        assert_eq!(held(90).phase(EpochMs(1_000)), Phase::Before);
        assert_eq!(held(120).phase(EpochMs(1_000)), Phase::Running);
        assert_eq!(held(120).next_change(EpochMs(120)), None);
    }
}
