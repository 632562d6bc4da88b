//! What verifying a problem's package found, as it is reported, stored and drawn.
//!
//! Owns: the shapes. What they mean is `grading`'s: `verification`, `kill_matrix`, `timing`.

use super::verdict::Verdict;

/// What a program under `submissions/` did.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProgramResult {
    /// `wrong_answer/strict.cpp`
    pub name: String,
    /// What it promises, for people: `WA`, `TLE or RTE`.
    pub expected: String,
    /// How it broke that promise; `None` when it kept it.
    pub broken: Option<String>,
    /// The judgement's verdict.
    pub got: Verdict,
    /// Whether it bounds the time limit from below, from above, or not.
    pub bounds: Option<Side>,
    /// Whether the tests are there to reject it.
    pub wrong: bool,
    /// Its runs.
    pub runs: Vec<TestResult>,
}

/// From which side a program bounds the time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// It must not be too slow.
    Below,
    /// It must be too slow.
    Above,
}

/// One run of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TestResult {
    /// Index of the test.
    pub test: usize,
    /// Its verdict.
    pub verdict: Verdict,
    /// User + system time, milliseconds.
    pub cpu_ms: u64,
    /// An earlier verification of the same version found it out; it was not run again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// The time was measured while nothing else ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

/// Something that stands against publishing.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct VerificationFault {
    /// The test, program or file that it is about.
    pub subject: String,
    /// What is wrong.
    pub sentence: String,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Row {
    /// The program.
    pub program: String,
    /// What it promises.
    pub expected: String,
    /// What it got.
    pub got: Verdict,
    /// Whether that keeps the promise.
    pub holds: bool,
    /// The test it took longest on; `None` when it ran none.
    pub slowest_test: Option<String>,
    /// How long that was, milliseconds of cpu.
    pub cpu_ms: Option<u64>,
}

/// The whole report.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Verification {
    /// The problem's slug.
    pub problem: String,
    /// Whether the package may be published.
    pub holds: bool,
    /// One row for each program.
    pub rows: Vec<Row>,
    /// Everything that stands against it.
    pub faults: Vec<VerificationFault>,
    /// How the limit stands to the measured times.
    pub margins: Margins,
    /// The limit that the measured times ask for, milliseconds; `None` when none fits.
    pub proposed_limit_ms: Option<u64>,
    /// Which test rejects which wrong program.
    pub kill_matrix: KillMatrix,
    /// What the matrix shows.
    pub kills: Findings,
    /// Remarks that don't stand against publishing.
    pub hints: Vec<String>,
}

/// How a limit stands to its bounds.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Margins {
    /// The limit, milliseconds.
    pub limit_ms: u64,
    /// The least limit that the accepted programs ask for, milliseconds.
    pub least_ms: u64,
    /// The most that the too slow ones allow, milliseconds.
    pub most_ms: Option<u64>,
}

impl Margins {
    /// Whether accepted programs have the room they are promised.
    pub const fn leaves_room(&self) -> bool {
        self.least_ms <= self.limit_ms
    }

    /// Whether too slow programs are surely cut off.
    pub fn cuts_off(&self) -> bool {
        self.most_ms.is_none_or(|most| self.limit_ms <= most)
    }

    /// Both.
    pub fn hold(&self) -> bool {
        self.leaves_room() && self.cuts_off()
    }
}

/// A wrong program's way through the tests.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WrongProgram {
    /// Its name: `wrong_answer/strict.cpp`.
    pub name: String,
    /// Its verdict on each test, in the matrix's order; `None` where it wasn't run.
    pub verdicts: Vec<Option<Verdict>>,
}

/// Wrong programs against tests.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct KillMatrix {
    /// Test names, in test order.
    pub tests: Vec<String>,
    /// A row for each wrong program.
    pub programs: Vec<WrongProgram>,
}

/// What a matrix shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Findings {
    /// Wrong programs that no test rejects: the test data must be made stronger.
    pub survivors: Vec<String>,
    /// Tests that reject no wrong program at all.
    pub idle_tests: Vec<String>,
    /// Programs that only one test rejects, with that test: it mustn't be lost.
    pub single_killers: Vec<(String, String)>,
}

/// A report, with the programs that could not be run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VerificationReport {
    /// What was found.
    #[serde(flatten)]
    pub verification: Verification,
    /// Programs that can't run on this host, with the reason.
    pub not_run: Vec<String>,
}
