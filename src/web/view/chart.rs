//! Time and memory of each test as a row of bars under the line of the limit. One path for each verdict, so that many
//! tests stay small. Must not know: where the figures come from; the table beside it has them exactly.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// The height of the limit line above the ground, in the picture's units.
const LIMIT_HEIGHT: u64 = 80;
/// The height of the whole; a bar over the limit ends above the line.
const HEIGHT: u64 = 96;
/// From bar to bar.
const STEP: u64 = 12;

/// A chart, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    bars: Vec<(&'static str, u64)>,
    slots: u64,
    limit: u64,
    label: String,
}

impl Chart {
    /// Bars of (verdict code, figure) in test order, of `total` tests; nothing where there is no limit to compare with.
    pub fn new(bars: Vec<(&'static str, u64)>, total: u32, limit: u64, label: String) -> Option<Self> {
        let slots = (bars.len() as u64).max(u64::from(total));
        (limit > 0 && !bars.is_empty()).then_some(Self { bars, slots, limit, label })
    }
}

impl askama::filters::HtmlSafe for Chart {}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.slots.max(10) * STEP;
        let mut paths: BTreeMap<&str, String> = BTreeMap::new();
        for (index, (verdict, figure)) in (0_u64..).zip(&self.bars) {
            let height = (figure.saturating_mul(LIMIT_HEIGHT) / self.limit).clamp(1, HEIGHT);
            let x = index * STEP + STEP / 2;
            let _ = write!(paths.entry(verdict).or_default(), "M{x} {HEIGHT}v-{height}");
        }
        let mut label = String::new();
        super::highlight::escape(&mut label, &self.label);
        let line = HEIGHT - LIMIT_HEIGHT;
        write!(
            f,
            "<svg class=\"chart\" viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">"
        )?;
        for (verdict, path) in paths {
            write!(f, "<path data-verdict=\"{verdict}\" d=\"{path}\"/>")?;
        }
        write!(f, "<path class=\"limit\" d=\"M0 {line}H{width}\"/></svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_under_the_line() {
        let chart = Chart::new(vec![("AC", 500), ("TLE", 9_000)], 3, 1_000, "a < b".to_owned()).unwrap().to_string();
        assert!(chart.contains("<path data-verdict=\"AC\" d=\"M6 96v-40\"/>"), "{chart}");
        assert!(chart.contains("<path data-verdict=\"TLE\" d=\"M18 96v-96\"/>"), "a bar never leaves the picture");
        assert!(chart.contains("aria-label=\"a &lt; b\""));
        assert_eq!(Chart::new(Vec::new(), 3, 1_000, String::new()), None);
    }
}
