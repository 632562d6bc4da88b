//! Judgements over time as a row of bars, those that ended by our own fault in front. Must not know: when the spans are.

use std::fmt::{self, Write as _};

use crate::store::health::Ended;

/// The height of the picture, in its units.
const HEIGHT: u64 = 80;
/// From bar to bar.
const STEP: u64 = 8;

/// The picture, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throughput {
    bars: Vec<(u32, u64, u64)>,
    spans: u32,
    /// The most judgements of a span.
    pub most: u64,
    label: String,
}

impl Throughput {
    /// The judgements of each of so many spans.
    pub fn new(ended: &[Ended], spans: u32, label: String) -> Self {
        let most = ended.iter().map(|one| one.judgements).max().unwrap_or_default();
        let bars = ended.iter().filter(|one| one.span < spans).map(|one| (one.span, one.judgements, one.faults));
        Self { bars: bars.collect(), spans, most, label }
    }
}

impl askama::filters::HtmlSafe for Throughput {}

impl fmt::Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut all, mut faults) = (String::new(), String::new());
        for (span, judgements, fault) in &self.bars {
            let x = u64::from(*span) * STEP + STEP / 2;
            let height = |count: u64| (count * HEIGHT / self.most.max(1)).max(1);
            let _ = write!(all, "M{x} {HEIGHT}v-{}", height(*judgements));
            if *fault > 0 {
                let _ = write!(faults, "M{x} {HEIGHT}v-{}", height(*fault));
            }
        }
        let mut label = String::new();
        super::highlight::escape(&mut label, &self.label);
        let width = u64::from(self.spans) * STEP;
        write!(
            f,
            "<svg class=\"chart throughput\" viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"{label}\"><path data-verdict=\"AC\" d=\"{all}\"/><path data-verdict=\"JE\" d=\"{faults}\"/></svg>"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_span_is_as_high_as_the_picture() {
        let ended = [Ended { span: 0, judgements: 1, faults: 0 }, Ended { span: 2, judgements: 4, faults: 2 }];
        let picture = Throughput::new(&ended, 3, "a & b".to_owned()).to_string();
        assert!(picture.contains("d=\"M4 80v-20M20 80v-80\"") && picture.contains("d=\"M20 80v-40\""), "{picture}");
        assert!(picture.contains("viewBox=\"0 0 24 80\"") && picture.contains("a &amp; b"));
        assert!(Throughput::new(&[], 3, String::new()).to_string().contains("data-verdict=\"AC\" d=\"\""));
    }
}
