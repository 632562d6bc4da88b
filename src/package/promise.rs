//! What a program under `submissions/` promises to get.
//!
//! Owns: the folders' meaning (format, "Default directories"), the `@EXPECTED_RESULTS@:` comment (DOMjudge's), and
//! whether verdicts keep a promise. Must not know how a verdict came about.

use std::fmt;

use crate::domain::verdict::Verdict;

/// A set of verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct VerdictSet(u8);

impl VerdictSet {
    /// The set of these verdicts.
    pub fn of(verdicts: &[Verdict]) -> Self {
        verdicts.iter().fold(Self(0), |set, &verdict| set.with(verdict))
    }

    /// This set and one verdict more.
    #[must_use]
    pub fn with(self, verdict: Verdict) -> Self {
        Self(self.0 | Self::bit(verdict))
    }

    /// This set without a verdict.
    #[must_use]
    pub fn without(self, verdict: Verdict) -> Self {
        Self(self.0 & !Self::bit(verdict))
    }

    /// What is in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the verdict is in it.
    pub fn contains(self, verdict: Verdict) -> bool {
        self.0 & Self::bit(verdict) != 0
    }

    /// Whether the two have nothing in common.
    pub const fn is_disjoint(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    /// Its verdicts, in the order of [`Verdict::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Verdict> {
        Verdict::ALL.into_iter().filter(move |&verdict| self.contains(verdict))
    }

    fn bit(verdict: Verdict) -> u8 {
        match verdict {
            Verdict::Accepted => 1,
            Verdict::WrongAnswer => 1 << 1,
            Verdict::TimeLimit => 1 << 2,
            Verdict::MemoryLimit => 1 << 3,
            Verdict::OutputLimit => 1 << 4,
            Verdict::RunTimeError => 1 << 5,
            Verdict::CompileError => 1 << 6,
            Verdict::JudgingError => 1 << 7,
        }
    }
}

impl fmt::Display for VerdictSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, verdict) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(" or ")?;
            }
            f.write_str(verdict.code())?;
        }
        Ok(())
    }
}

impl serde::Serialize for VerdictSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// A promise: every run's verdict is in `permitted`, and at least one is in `required` (format, `submissions.yaml`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Promise {
    /// What each run may get.
    pub permitted: VerdictSet,
    /// What at least one run must get; the judgement's verdict is one of these too.
    pub required: VerdictSet,
}

/// How a promise was broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A run got what it may not get.
    #[error("got {got} on {test}, but only {permitted} may come up")]
    NotPermitted {
        /// The test's name.
        test: String,
        /// Its verdict.
        got: Verdict,
        /// What may come up.
        permitted: VerdictSet,
    },
    /// No run got what one must get.
    #[error("no test gave {required}")]
    NeverHappened {
        /// What must come up.
        required: VerdictSet,
    },
}

impl Promise {
    /// One that only correct programs keep.
    pub fn accepted() -> Self {
        let accepted = VerdictSet::of(&[Verdict::Accepted]);
        Self { permitted: accepted, required: accepted }
    }

    /// What a folder under `submissions/` means; `None` for a name that means nothing by itself.
    ///
    /// The format's six folders, and DOMjudge's for the verdicts that the format doesn't have. The two folders that ask
    /// only for some failure, `rejected` and `brute_force`, take our further verdicts too.
    pub fn of_folder(folder: &str) -> Option<Self> {
        use Verdict::{Accepted, CompileError, MemoryLimit, OutputLimit, RunTimeError, TimeLimit, WrongAnswer};
        let promise = |required: &[Verdict]| {
            let required = VerdictSet::of(required);
            Self { permitted: required.with(Accepted), required }
        };
        Some(match folder {
            "accepted" => Self::accepted(),
            "rejected" => {
                let required = VerdictSet::of(&[WrongAnswer, TimeLimit, MemoryLimit, OutputLimit, RunTimeError]);
                Self { permitted: required.with(Accepted), required }
            }
            "wrong_answer" => promise(&[WrongAnswer]),
            "time_limit_exceeded" => promise(&[TimeLimit]),
            "run_time_error" => promise(&[RunTimeError]),
            "brute_force" => promise(&[RunTimeError, MemoryLimit, TimeLimit]),
            "memory_limit" | "memory_limit_exceeded" => promise(&[MemoryLimit]),
            "output_limit" | "output_limit_exceeded" => promise(&[OutputLimit]),
            "compiler_error" | "compile_error" => {
                let required = VerdictSet::of(&[CompileError]);
                Self { permitted: required, required }
            }
            _ => return None,
        })
    }

    /// What a folder means in formats `legacy` and `legacy-icpc`, where a program that is too slow may be wrong too, and
    /// one that crashes may get anything.
    pub fn of_legacy_folder(folder: &str) -> Option<Self> {
        use Verdict::{Accepted, RunTimeError, TimeLimit, WrongAnswer};
        Some(match folder {
            "time_limit_exceeded" => Self {
                permitted: VerdictSet::of(&[Accepted, WrongAnswer, TimeLimit]),
                required: VerdictSet::of(&[TimeLimit]),
            },
            "run_time_error" => Self { required: VerdictSet::of(&[RunTimeError]), ..Self::anything() },
            // Accepted with a score that isn't the best one: in scoring, single tests may fail.
            "partially_accepted" => Self { required: VerdictSet::of(&[Accepted]), ..Self::anything() },
            _ => return Self::of_folder(folder),
        })
    }

    /// One that every program keeps that compiles.
    pub fn anything() -> Self {
        use Verdict::{Accepted, MemoryLimit, OutputLimit, RunTimeError, TimeLimit, WrongAnswer};
        let all = VerdictSet::of(&[Accepted, WrongAnswer, TimeLimit, MemoryLimit, OutputLimit, RunTimeError]);
        Self { permitted: all, required: all }
    }

    /// What an `@EXPECTED_RESULTS@:` list means: the judgement gets one of these. Returns the word that is no verdict.
    pub fn of_results(list: &str) -> Result<Self, String> {
        let mut required = VerdictSet::default();
        for word in list.split(',').map(str::trim) {
            required = required.with(domjudge_verdict(word).ok_or_else(|| word.to_owned())?);
        }
        let permitted = if required == VerdictSet::of(&[Verdict::CompileError]) {
            required
        } else {
            required.with(Verdict::Accepted)
        };
        Ok(Self { permitted, required })
    }

    /// Whether a judgement with this verdict keeps the promise, where the single runs aren't known.
    pub fn holds(&self, judgement: Verdict) -> bool {
        self.required.contains(judgement)
    }

    /// Whether these runs (test, verdict) keep the promise. A program that didn't compile has no runs: use
    /// [`Promise::holds`] for it.
    pub fn check<'a>(&self, runs: impl IntoIterator<Item = (&'a str, Verdict)>) -> Result<(), Broken> {
        let mut happened = false;
        for (test, got) in runs {
            if !self.permitted.contains(got) {
                return Err(Broken::NotPermitted { test: test.to_owned(), got, permitted: self.permitted });
            }
            happened |= self.required.contains(got);
        }
        if happened { Ok(()) } else { Err(Broken::NeverHappened { required: self.required }) }
    }

    /// Whether such a program bounds the time limit from below (it may not be too slow; format, "Timelimit inference").
    pub fn bounds_limit_from_below(&self) -> bool {
        !self.permitted.contains(Verdict::TimeLimit) && !self.required.contains(Verdict::CompileError)
    }

    /// Whether such a program bounds the time limit from above (it must be too slow; the same).
    pub fn bounds_limit_from_above(&self) -> bool {
        self.required == VerdictSet::of(&[Verdict::TimeLimit])
    }

    /// Whether the program is one that the tests must reject: it belongs in the kill matrix.
    pub fn is_wrong(&self) -> bool {
        !self.required.contains(Verdict::Accepted) && !self.required.contains(Verdict::CompileError)
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.required.fmt(f)
    }
}

/// The marker DOMjudge looks for in a source.
const MARKER: &[u8] = b"@EXPECTED_RESULTS@:";

/// The text after the first `@EXPECTED_RESULTS@:` of a source, up to the line's end, and the line it is on.
pub(crate) fn expected_results(source: &[u8]) -> Option<(String, usize)> {
    let at = source.windows(MARKER.len()).position(|window| window == MARKER)?;
    let line = 1 + source.iter().take(at).filter(|&&byte| byte == b'\n').count();
    let rest = source.get(at + MARKER.len()..).unwrap_or_default();
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let text = String::from_utf8_lossy(rest.get(..end).unwrap_or_default()).into_owned();
    // The comment may end on the same line: `*/`, `-->`, `*)`.
    let in_list = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ',' | ' ' | '\t');
    let list = text.split(|c| !in_list(c)).next().unwrap_or_default().trim().trim_end_matches('-').trim_end();
    Some((list.to_owned(), line))
}

/// DOMjudge's result names, with `-` or `_`, in any case, and the older ones with the folder's names.
fn domjudge_verdict(word: &str) -> Option<Verdict> {
    Some(match word.to_ascii_uppercase().replace('-', "_").as_str() {
        "CORRECT" | "ACCEPTED" => Verdict::Accepted,
        // DOMjudge's NO-OUTPUT is a wrong answer that happens to be empty.
        "WRONG_ANSWER" | "NO_OUTPUT" => Verdict::WrongAnswer,
        "TIMELIMIT" | "TIME_LIMIT" | "TIME_LIMIT_EXCEEDED" => Verdict::TimeLimit,
        "MEMORY_LIMIT" | "MEMORY_LIMIT_EXCEEDED" | "MEMORY" => Verdict::MemoryLimit,
        "OUTPUT_LIMIT" | "OUTPUT_LIMIT_EXCEEDED" | "OUTPUT" => Verdict::OutputLimit,
        "RUN_ERROR" | "RUN_TIME_ERROR" | "RUNTIME_ERROR" => Verdict::RunTimeError,
        "COMPILER_ERROR" | "COMPILE_ERROR" => Verdict::CompileError,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("accepted", "AC", "")]
    #[case("wrong_answer", "WA", "AC")]
    #[case("time_limit_exceeded", "TLE", "AC")]
    #[case("run_time_error", "RTE", "AC")]
    #[case("brute_force", "TLE RTE MLE", "AC")]
    #[case("rejected", "WA TLE RTE MLE OLE", "AC")]
    #[case("compiler_error", "CE", "")]
    fn folders_promise_what_the_format_says(#[case] folder: &str, #[case] required: &str, #[case] also: &str) {
        let promise = Promise::of_folder(folder).unwrap();
        for verdict in Verdict::ALL {
            let must = required.split(' ').any(|code| code == verdict.code());
            assert_eq!(promise.holds(verdict), must, "{folder} {verdict}");
            assert_eq!(promise.permitted.contains(verdict), must || also == verdict.code(), "{folder} {verdict}");
        }
    }

    #[rstest]
    #[case("// @EXPECTED_RESULTS@: WRONG-ANSWER\nint main", "WA", 1)]
    #[case("x\n# @EXPECTED_RESULTS@: TIMELIMIT,RUN_ERROR\r\n", "TLE or RTE", 2)]
    #[case("/* @EXPECTED_RESULTS@: CORRECT */ int", "AC", 1)]
    #[case("<!-- @EXPECTED_RESULTS@: memory-limit, OUTPUT-LIMIT -->", "MLE or OLE", 1)]
    #[case("@EXPECTED_RESULTS@: COMPILER-ERROR", "CE", 1)]
    fn comments_are_read(#[case] source: &str, #[case] expected: &str, #[case] line: usize) {
        let (list, found) = expected_results(source.as_bytes()).unwrap();
        assert_eq!(found, line);
        assert_eq!(Promise::of_results(&list).unwrap().to_string(), expected);
    }

    #[test]
    fn unknown_words_are_named() {
        assert_eq!(Promise::of_results("CORRECT, SLOW"), Err("SLOW".to_owned()));
        assert_eq!(Promise::of_results(""), Err(String::new()));
        assert_eq!(expected_results(b"int main() {}"), None);
    }

    #[test]
    fn runs_are_checked_one_by_one() {
        let promise = Promise::of_folder("wrong_answer").unwrap();
        assert_eq!(promise.check([("1", Verdict::Accepted), ("2", Verdict::WrongAnswer)]), Ok(()));
        let sentence = promise.check([("1", Verdict::Accepted)]).unwrap_err().to_string();
        assert_eq!(sentence, "no test gave WA");
        let sentence = promise.check([("s/1", Verdict::TimeLimit)]).unwrap_err().to_string();
        assert_eq!(sentence, "got TLE on s/1, but only AC or WA may come up");
        assert!(Promise::accepted().check([]).is_err(), "no runs keep no promise");
    }

    #[test]
    fn who_bounds_the_time_limit() {
        let bounds =
            |folder| Promise::of_folder(folder).map(|p| (p.bounds_limit_from_below(), p.bounds_limit_from_above()));
        assert_eq!(bounds("accepted"), Some((true, false)));
        assert_eq!(bounds("time_limit_exceeded"), Some((false, true)));
        assert_eq!(bounds("brute_force"), Some((false, false)));
        assert_eq!(bounds("wrong_answer"), Some((true, false)));
    }
}
