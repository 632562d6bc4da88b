//! Whether a problem's time limit, set where the package was verified, fits another kind of machine as well.
//!
//! Owns: the decision, from what the package's own programs did there. The margins are the format's ("Problem timing"), with
//! the package's own multipliers. Must not know: which machines there are.

use crate::domain::verdict::Verdict;
use crate::domain::verification::{Margins, Row, Verification};

/// How a limit fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostFit {
    /// Both margins hold.
    Fits,
    /// The slowest accepted program has less room than it is promised, or none.
    TooSlow,
    /// A program that must be too slow is not surely cut off.
    TooFast,
    /// A reference isn't accepted, for another reason than its time.
    NotAccepted,
    /// No reference could run, so nothing is known.
    NotMeasured,
}

/// How this limit, milliseconds, fits the machine on which the report was made.
pub fn fit(limit_ms: u64, report: &Verification) -> HostFit {
    let references = || report.rows.iter().filter(|row| row.program.starts_with("accepted/"));
    let margins = Margins { limit_ms, ..report.margins };
    let passes =
        |row: &&Row| !row.holds && row.expected.contains(Verdict::TimeLimit.code()) && row.got == Verdict::Accepted;
    if references().next().is_none() {
        HostFit::NotMeasured
    } else if references().any(|row| row.got == Verdict::TimeLimit) || !margins.leaves_room() {
        // A program that broke its promise bounds nothing, so the margins alone don't show it.
        HostFit::TooSlow
    } else if references().any(|row| !row.holds) {
        HostFit::NotAccepted
    } else if report.rows.iter().any(|row| passes(&row)) || !margins.cuts_off() {
        HostFit::TooFast
    } else {
        HostFit::Fits
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::domain::verdict::Verdict::{Accepted, RunTimeError, TimeLimit, WrongAnswer};
    use crate::grading::timing::Multipliers;
    use crate::grading::verification::{LimitInForce, ProgramResult, Side, TestResult};

    /// A program with one run of this time, milliseconds.
    fn program(name: &str, expected: &str, got: Verdict, cpu_ms: u64) -> ProgramResult {
        let must_be_slow = expected == "TLE";
        ProgramResult {
            name: name.to_owned(),
            expected: expected.to_owned(),
            broken: (got.code() != expected).then(|| format!("got {}", got.code())),
            got,
            bounds: Some(if must_be_slow { Side::Above } else { Side::Below }),
            wrong: must_be_slow,
            runs: vec![TestResult { test: 0, verdict: got, cpu_ms, reused: false, alone: true }],
        }
    }

    /// On a kind of machine the reference takes `right`, and the program that must be too slow `slow`.
    #[rstest]
    #[case::as_where_it_was_verified((Accepted, 500), Some((TimeLimit, 1_500)), HostFit::Fits)]
    #[case::nothing_must_be_slow((Accepted, 1), None, HostFit::Fits)]
    #[case::a_little_less_room((Accepted, 501), Some((TimeLimit, 1_500)), HostFit::TooSlow)]
    #[case::over_the_limit((TimeLimit, 1_400), Some((TimeLimit, 2_000)), HostFit::TooSlow)]
    #[case::not_surely_cut_off((Accepted, 100), Some((TimeLimit, 1_499)), HostFit::TooFast)]
    #[case::not_cut_off((Accepted, 100), Some((Accepted, 900)), HostFit::TooFast)]
    #[case::both((Accepted, 600), Some((TimeLimit, 1_100)), HostFit::TooSlow)]
    #[case::another_answer((WrongAnswer, 100), Some((TimeLimit, 2_000)), HostFit::NotAccepted)]
    #[case::a_crash((RunTimeError, 100), None, HostFit::NotAccepted)]
    fn a_limit_of_a_second_fits(
        #[case] right: (Verdict, u64),
        #[case] slow: Option<(Verdict, u64)>,
        #[case] expected: HostFit,
    ) {
        let mut programs = vec![program("accepted/a.cpp", "AC", right.0, right.1)];
        programs.extend(slow.map(|(got, ms)| program("time_limit_exceeded/b.cpp", "TLE", got, ms)));
        // The package says no limit: the one in force was found elsewhere.
        assert_eq!(fit(1_000, &report(&programs, Multipliers::default())), expected);
    }

    #[test]
    fn the_packages_own_multipliers_count() {
        let programs = [program("accepted/a.cpp", "AC", Accepted, 300)];
        let strict = Multipliers { ac_to_time_limit: 4.0, time_limit_to_tle: 1.5 };
        assert_eq!(fit(1_000, &report(&programs, Multipliers::default())), HostFit::Fits);
        assert_eq!(fit(1_000, &report(&programs, strict)), HostFit::TooSlow);
    }

    #[test]
    fn without_a_reference_nothing_is_known() {
        let slow = [program("time_limit_exceeded/b.cpp", "TLE", TimeLimit, 5_000)];
        assert_eq!(fit(1_000, &report(&slow, Multipliers::default())), HostFit::NotMeasured);
    }

    fn report(programs: &[ProgramResult], multipliers: Multipliers) -> Verification {
        let limit = LimitInForce { limit_ms: 10_000, declared: false, multipliers, resolution_ms: 1_000 };
        Verification::new("sum", vec!["secret/1".to_owned()], programs, limit, Vec::new())
    }
}
