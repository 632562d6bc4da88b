//! Where a time limit stands between the programs that must keep it and the ones that must not: a scale with the room that
//! the format's margins leave. Must not know: how the margins are made; the figures beside it say the same.

use std::fmt;

use crate::domain::verification::Margins;

/// The width of the scale, in the picture's units.
const WIDTH: u64 = 1_000;

/// The scale, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeScale {
    limit_ms: u64,
    least_ms: u64,
    most_ms: Option<u64>,
    label: String,
}

impl TimeScale {
    /// The limit between its bounds. The label says in words what the picture shows.
    pub const fn new(margins: Margins, label: String) -> Self {
        let Margins { limit_ms, least_ms, most_ms } = margins;
        Self { limit_ms, least_ms, most_ms, label }
    }
}

impl askama::filters::HtmlSafe for TimeScale {}

impl fmt::Display for TimeScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let far = self.limit_ms.max(self.least_ms).max(self.most_ms.unwrap_or(0)).max(1);
        // A tenth of room behind the last mark.
        let place = |ms: u64| ms.saturating_mul(WIDTH * 10) / (far.saturating_mul(11)).max(1);
        let (least, limit) = (place(self.least_ms), place(self.limit_ms));
        let most = self.most_ms.map_or(WIDTH, place);
        let mut label = String::new();
        super::highlight::escape(&mut label, &self.label);
        write!(
            f,
            "<svg class=\"scale\" viewBox=\"0 0 {WIDTH} 40\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">"
        )?;
        write!(f, "<path data-verdict=\"AC\" d=\"M0 14h{least}v12h-{least}z\"/>")?;
        if self.most_ms.is_some() {
            write!(f, "<path data-verdict=\"TLE\" d=\"M{most} 14H{WIDTH}v12H{most}z\"/>")?;
        }
        write!(f, "<path class=\"limit\" d=\"M{limit} 2v36\"/></svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_stands_between_its_bounds() {
        let margins = Margins { limit_ms: 1_000, least_ms: 500, most_ms: Some(2_000) };
        let svg = TimeScale::new(margins, "a < b".to_owned()).to_string();
        assert!(svg.contains("d=\"M0 14h227v12h-227z\""), "{svg}");
        assert!(svg.contains("d=\"M909 14H1000v12H909z\""), "{svg}");
        assert!(svg.contains("class=\"limit\" d=\"M454 2v36\""), "{svg}");
        assert!(svg.contains("a &lt; b"));
        let open = TimeScale::new(Margins { limit_ms: 0, least_ms: 0, most_ms: None }, String::new()).to_string();
        assert!(!open.contains("TLE"), "{open}");
    }
}
