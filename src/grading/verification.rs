//! The result of verifying a problem: does its package keep what it promises?
//!
//! Owns: the report and whether it holds. Must not know packages or how anything was run: promises come in as text
//! with the sentence of how they were broken.

use std::fmt;

use super::kill_matrix::KillMatrix;
use super::timing::{Bounds, Margins, Multipliers, NoLimit, margins, propose_limit};
#[cfg(test)]
use crate::domain::verdict::Verdict;
pub use crate::domain::verification::{ProgramResult, Row, Side, TestResult, Verification, VerificationFault};

/// The time limit that was verified against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitInForce {
    /// Milliseconds of cpu.
    pub limit_ms: u64,
    /// The package says it; otherwise it was proposed from measurements.
    pub declared: bool,
    /// The package's margins.
    pub multipliers: Multipliers,
    /// A proposed limit is a multiple of it, milliseconds.
    pub resolution_ms: u64,
}

impl Verification {
    /// Puts the report together. `found` are the faults met before programs were judged: tests that a validator
    /// refused, invalid inputs that none refused, references that disagree.
    pub fn new(
        problem: impl Into<String>,
        tests: Vec<String>,
        programs: &[ProgramResult],
        limit: LimitInForce,
        found: Vec<VerificationFault>,
    ) -> Self {
        let mut faults = found;
        let rows = programs.iter().map(|program| row(program, &tests)).collect();
        for program in programs {
            if let Some(broken) = &program.broken {
                faults.push(VerificationFault { subject: program.name.clone(), sentence: broken.clone() });
            }
        }

        let bounds = measured_bounds(programs);
        let margins = margins(limit.limit_ms, bounds, limit.multipliers);
        let proposed = propose_limit(bounds, limit.multipliers, limit.resolution_ms);
        faults.extend(limit_faults(margins, proposed));

        let mut kill_matrix = KillMatrix::new(tests);
        for program in programs.iter().filter(|program| program.wrong) {
            kill_matrix.add(&program.name, program.runs.iter().map(|run| (run.test, run.verdict)));
        }
        let kills = kill_matrix.findings();
        for survivor in &kills.survivors {
            let sentence = "no test rejects this wrong program; add one that does".to_owned();
            faults.push(VerificationFault { subject: survivor.clone(), sentence });
        }

        let mut hints = Vec::new();
        if !kills.idle_tests.is_empty() {
            hints.push(format!("no wrong program needs these tests: {}", kills.idle_tests.join(", ")));
        }
        if kill_matrix.programs.is_empty() {
            hints.push("there is no wrong program, so nothing shows that the tests reject any".to_owned());
        }
        if limit.declared && proposed.is_ok_and(|proposed| proposed != limit.limit_ms) {
            let proposed = proposed.unwrap_or_default();
            hints.push(format!("measured here, the time limit would be {proposed} ms; it is {} ms", limit.limit_ms));
        }

        Self {
            problem: problem.into(),
            holds: faults.is_empty(),
            rows,
            faults,
            margins,
            proposed_limit_ms: proposed.ok(),
            kill_matrix,
            kills,
            hints,
        }
    }

    /// Whether the package may be published.
    pub const fn holds(&self) -> bool {
        self.holds
    }
}

fn row(program: &ProgramResult, tests: &[String]) -> Row {
    let slowest = program.runs.iter().max_by_key(|run| run.cpu_ms);
    Row {
        program: program.name.clone(),
        expected: program.expected.clone(),
        got: program.got,
        holds: program.broken.is_none(),
        slowest_test: slowest.and_then(|run| tests.get(run.test).cloned()),
        cpu_ms: slowest.map(|run| run.cpu_ms),
    }
}

/// The run to which each bound is owed, as (index of the program, index in its runs): the slowest of those that may not
/// be too slow, and the slowest of the fastest program that must be.
pub fn bounding_runs(programs: &[ProgramResult]) -> Vec<(usize, usize)> {
    let slowest = |side| {
        let bounding = programs.iter().enumerate();
        let bounding = bounding.filter(move |(_, program)| program.bounds == Some(side) && program.broken.is_none());
        bounding.filter_map(|(index, program)| {
            let (at, run) = program.runs.iter().enumerate().max_by_key(|(_, run)| run.cpu_ms)?;
            Some((run.cpu_ms, (index, at)))
        })
    };
    let below = slowest(Side::Below).max_by_key(|(cpu_ms, _)| *cpu_ms);
    let above = slowest(Side::Above).min_by_key(|(cpu_ms, _)| *cpu_ms);
    below.into_iter().chain(above).map(|(_, run)| run).collect()
}

/// The bounds that these programs' slowest runs give (format, "Timelimit inference"). Programs that broke their promise
/// bound nothing: a reference that hangs must not raise the limit.
pub fn measured_bounds(programs: &[ProgramResult]) -> Bounds {
    let slowest = |side| {
        let bounding = programs.iter().filter(move |program| program.bounds == Some(side) && program.broken.is_none());
        bounding.filter_map(|program| program.runs.iter().map(|run| run.cpu_ms).max())
    };
    Bounds {
        slowest_accepted_ms: slowest(Side::Below).max().unwrap_or(0),
        fastest_too_slow_ms: slowest(Side::Above).min(),
    }
}

fn limit_faults(margins: Margins, proposed: Result<u64, NoLimit>) -> Vec<VerificationFault> {
    let fault = |sentence| VerificationFault { subject: "time limit".to_owned(), sentence };
    let Margins { limit_ms, least_ms, most_ms } = margins;
    let mut faults = Vec::new();
    if !margins.leaves_room() {
        faults.push(fault(format!(
            "{limit_ms} ms leaves the accepted programs too little room; at least {least_ms} ms are needed"
        )));
    }
    if let Some(most_ms) = most_ms.filter(|_| !margins.cuts_off()) {
        faults.push(fault(format!(
            "{limit_ms} ms may let a program through that must be too slow; at most {most_ms} ms are safe"
        )));
    }
    if let Err(none) = proposed
        && !margins.hold()
    {
        faults.push(fault(none.to_string()));
    }
    faults
}

/// The table for a terminal, then faults and hints.
impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| text.chars().count()).max().unwrap_or(0);
        let program = longest(&mut self.rows.iter().map(|row| row.program.as_str())).max("program".len());
        let expected = longest(&mut self.rows.iter().map(|row| row.expected.as_str())).max("expected".len());
        writeln!(f, "  {:program$}  {:expected$}  got  {:>8}  slowest test", "program", "expected", "cpu ms")?;
        for row in &self.rows {
            let mark = if row.holds { ' ' } else { '!' };
            let cpu_ms = row.cpu_ms.map_or_else(|| "-".to_owned(), |ms| ms.to_string());
            let test = row.slowest_test.as_deref().unwrap_or("-");
            let Row { program: name, expected: promised, got, .. } = row;
            writeln!(f, "{mark} {name:program$}  {promised:expected$}  {got:3}  {cpu_ms:>8}  {test}")?;
        }
        for fault in &self.faults {
            writeln!(f, "fault: {}: {}", fault.subject, fault.sentence)?;
        }
        for hint in &self.hints {
            writeln!(f, "hint: {hint}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod bounding_tests {
    use proptest::prelude::*;

    use super::*;

    fn program() -> impl Strategy<Value = ProgramResult> {
        let bounds = prop_oneof![Just(None), Just(Some(Side::Below)), Just(Some(Side::Above))];
        (bounds, any::<bool>(), proptest::collection::vec(0_u64..50, 0..5)).prop_map(|(bounds, broken, times)| {
            let run =
                |(test, cpu_ms)| TestResult { test, verdict: Verdict::Accepted, cpu_ms, reused: false, alone: false };
            ProgramResult {
                name: "accepted/a.py".to_owned(),
                expected: "AC".to_owned(),
                broken: broken.then(|| "it broke".to_owned()),
                got: Verdict::Accepted,
                bounds,
                wrong: false,
                runs: times.into_iter().enumerate().map(run).collect(),
            }
        })
    }

    proptest! {
        #[test]
        fn bounds_are_owed_to_the_bounding_runs(programs in proptest::collection::vec(program(), 0..6)) {
            let bounds = measured_bounds(&programs);
            let runs = bounding_runs(&programs);
            let time_of = |side| {
                let run = runs.iter().find(|(program, _)| programs[*program].bounds == Some(side));
                run.map(|&(program, at)| programs[program].runs[at].cpu_ms)
            };
            prop_assert_eq!(time_of(Side::Below).unwrap_or(0), bounds.slowest_accepted_ms);
            prop_assert_eq!(time_of(Side::Above), bounds.fastest_too_slow_ms);
            prop_assert!(runs.len() <= 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, expected: &str, bounds: Option<Side>, verdicts: &[(Verdict, u64)]) -> ProgramResult {
        let got = verdicts.iter().map(|run| run.0).find(|&v| v != Verdict::Accepted).unwrap_or(Verdict::Accepted);
        let runs = verdicts.iter().enumerate();
        ProgramResult {
            name: name.to_owned(),
            expected: expected.to_owned(),
            broken: (got.code() != expected).then(|| format!("no test gave {expected}")),
            got,
            bounds,
            wrong: expected != "AC",
            runs: runs
                .map(|(test, &(verdict, cpu_ms))| TestResult { test, verdict, cpu_ms, reused: false, alone: false })
                .collect(),
        }
    }

    const LIMIT: LimitInForce = LimitInForce {
        limit_ms: 1_000,
        declared: true,
        multipliers: Multipliers { ac_to_time_limit: 2.0, time_limit_to_tle: 1.5 },
        resolution_ms: 1_000,
    };

    fn tests() -> Vec<String> {
        vec!["sample/1".to_owned(), "secret/1".to_owned()]
    }

    #[test]
    fn a_sound_package_holds() {
        use Verdict::{Accepted, TimeLimit, WrongAnswer};
        let programs = [
            program("accepted/a.rs", "AC", Some(Side::Below), &[(Accepted, 2), (Accepted, 310)]),
            program("wrong_answer/b.c", "WA", Some(Side::Below), &[(Accepted, 1), (WrongAnswer, 40)]),
            program("time_limit_exceeded/c.py", "TLE", Some(Side::Above), &[(Accepted, 30), (TimeLimit, 1_900)]),
        ];
        let report = Verification::new("demo", tests(), &programs, LIMIT, Vec::new());
        assert!(report.holds(), "{report}");
        insta::assert_snapshot!(report, @r"
          program                   expected  got    cpu ms  slowest test
          accepted/a.rs             AC        AC        310  secret/1
          wrong_answer/b.c          WA        WA         40  secret/1
          time_limit_exceeded/c.py  TLE       TLE      1900  secret/1
        hint: no wrong program needs these tests: sample/1
        ");
        assert_eq!(report.margins, Margins { limit_ms: 1_000, least_ms: 620, most_ms: Some(1_266) });
        assert_eq!(report.proposed_limit_ms, Some(1_000));
        assert_eq!(report.kills.single_killers.len(), 2);
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["rows"][1]["got"], "WA");
        assert_eq!(json["kill_matrix"]["programs"][0]["verdicts"][1], "WA");
    }

    #[test]
    fn every_weakness_is_a_fault() {
        use Verdict::{Accepted, TimeLimit};
        let programs = [
            program("accepted/a.rs", "AC", Some(Side::Below), &[(Accepted, 2), (Accepted, 600)]),
            program("wrong_answer/b.c", "WA", Some(Side::Below), &[(Accepted, 1), (Accepted, 40)]),
            program("time_limit_exceeded/c.py", "TLE", Some(Side::Above), &[(Accepted, 30), (TimeLimit, 1_300)]),
        ];
        let found = vec![VerificationFault {
            subject: "secret/1".to_owned(),
            sentence: "the input validator check.rs refuses it: exited with code 43".to_owned(),
        }];
        let report = Verification::new("demo", tests(), &programs, LIMIT, found);
        assert!(!report.holds());
        insta::assert_snapshot!(report, @r"
          program                   expected  got    cpu ms  slowest test
          accepted/a.rs             AC        AC        600  secret/1
        ! wrong_answer/b.c          WA        AC         40  secret/1
          time_limit_exceeded/c.py  TLE       TLE      1300  secret/1
        fault: secret/1: the input validator check.rs refuses it: exited with code 43
        fault: wrong_answer/b.c: no test gave WA
        fault: time limit: 1000 ms leaves the accepted programs too little room; at least 1200 ms are needed
        fault: time limit: 1000 ms may let a program through that must be too slow; at most 866 ms are safe
        fault: time limit: no time limit fits: the slowest accepted program needs at least 1200 ms, the fastest that is too slow allows at most 866 ms; make the tests larger, or the programs differ more
        fault: wrong_answer/b.c: no test rejects this wrong program; add one that does
        hint: no wrong program needs these tests: sample/1
        ");
    }
}
