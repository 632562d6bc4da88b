//! One program's way through the tests as a row of cells: which test rejects it, and how. A cell is a shape and a colour
//! for each verdict; a run without a rejection is a thin line, a test that was not run leaves a gap. One path for each
//! verdict, so that hundreds of tests stay small. Must not know: which programs there are; the words beside it say the same.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::domain::verdict::Verdict;

/// From cell to cell, in the picture's units.
const STEP: usize = 12;
/// The height of the whole.
const HEIGHT: usize = 14;

/// A row of cells, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KillStrip {
    verdicts: Vec<Option<Verdict>>,
    label: String,
}

impl KillStrip {
    /// The verdicts in test order, `None` where it wasn't run. The label says in words what the picture shows.
    pub const fn new(verdicts: Vec<Option<Verdict>>, label: String) -> Self {
        Self { verdicts, label }
    }
}

impl askama::filters::HtmlSafe for KillStrip {}

/// A verdict's cell, drawn from its upper left corner.
const fn shape(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "m0 6h12v2h-12z",
        Verdict::WrongAnswer => "m1 2h10v10h-10z",
        Verdict::TimeLimit => "m1 12l5-10 5 10z",
        Verdict::MemoryLimit => "m1 7h10v5h-10z",
        Verdict::OutputLimit => "m1 2h10l-5 10z",
        Verdict::RunTimeError => "m6 1l5 6-5 6-5-6z",
        Verdict::CompileError | Verdict::JudgingError => "m4 2h4v10h-4z",
    }
}

impl fmt::Display for KillStrip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.verdicts.len().max(1) * STEP;
        let mut paths: BTreeMap<&str, String> = BTreeMap::new();
        for (index, verdict) in self.verdicts.iter().enumerate() {
            let Some(verdict) = verdict else { continue };
            let _ = write!(paths.entry(verdict.code()).or_default(), "M{} 0{}", index * STEP, shape(*verdict));
        }
        let mut label = String::new();
        super::highlight::escape(&mut label, &self.label);
        write!(
            f,
            "<svg class=\"kills\" width=\"{width}\" height=\"{HEIGHT}\" viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">"
        )?;
        for (verdict, path) in paths {
            write!(f, "<path data-verdict=\"{verdict}\" d=\"{path}\"/>")?;
        }
        f.write_str("</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_has_its_own_shape_and_tests_that_were_not_run_have_none() {
        let strip =
            KillStrip::new(vec![Some(Verdict::Accepted), None, Some(Verdict::WrongAnswer)], "a \"b\"".to_owned());
        let svg = strip.to_string();
        assert!(svg.contains("width=\"36\""), "{svg}");
        assert!(svg.contains("<path data-verdict=\"AC\" d=\"M0 0m0 6h12v2h-12z\"/>"), "{svg}");
        assert!(svg.contains("<path data-verdict=\"WA\" d=\"M24 0m1 2h10v10h-10z\"/>"), "{svg}");
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(svg.contains("aria-label=\"a &quot;b&quot;\""), "{svg}");
        let rejecting = [
            Verdict::WrongAnswer,
            Verdict::TimeLimit,
            Verdict::MemoryLimit,
            Verdict::OutputLimit,
            Verdict::RunTimeError,
        ];
        let shapes: std::collections::BTreeSet<_> = rejecting.into_iter().map(shape).collect();
        assert_eq!(shapes.len(), rejecting.len());
    }

    #[test]
    fn hundreds_of_tests_stay_small() {
        let strip = KillStrip::new(vec![Some(Verdict::RunTimeError); 300], String::new());
        assert!(strip.to_string().len() < 10_000);
    }
}
