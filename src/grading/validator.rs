//! What the exit of a validator, checker or interactor says.
//!
//! Owns: the exit-code protocols of the ICPC format 2025-09 and of testlib. Must not know how the program was run.
//! Whatever a protocol doesn't name is a fault of the judge's, never a verdict about the contestant.

use std::fmt;

pub use crate::domain::protocol::Protocol;
use crate::sandbox::{End, KillReason, RunReport};

/// What an input validator said about an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputSaid {
    /// It is valid.
    Valid,
    /// It is not, or couldn't be shown to be: "any other exit code means that the input file could not be confirmed as
    /// valid" (format, "Exit codes").
    Invalid(Exit),
}

/// What an output validator, checker or interactor said about an output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutputSaid {
    /// Right.
    Accepted,
    /// Wrong.
    Wrong,
    /// Right for so many points (testlib).
    Points(f64),
    /// It failed itself: JE.
    Fault(Exit),
}

/// How a validator ended, with a sentence for judges as its `Display`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// How its first process ended.
    pub end: End,
    /// The limit for which the sandbox ended it.
    pub killed: Option<KillReason>,
}

impl From<&RunReport> for Exit {
    fn from(report: &RunReport) -> Self {
        // The kernel may be quicker than the sandbox to end a program for its memory.
        let killed = report.killed.or(report.oom_killed.then_some(KillReason::Memory));
        Self { end: report.end, killed }
    }
}

impl Exit {
    /// The exit code, if it ended by itself.
    pub const fn code(&self) -> Option<i32> {
        match (self.killed, self.end) {
            (None, End::Exited(code)) => Some(code),
            _ => None,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.killed, self.end) {
            (Some(KillReason::Cpu | KillReason::Wall), _) => f.write_str("took too long"),
            (Some(KillReason::Memory), _) => f.write_str("used too much memory"),
            (Some(KillReason::Output), _) => f.write_str("wrote too much"),
            (None, End::Exited(code)) => write!(f, "exited with code {code}"),
            (None, End::Signaled(signal)) => match crate::domain::cause::signal_name(signal) {
                Some((name, _)) => write!(f, "was ended by {name}"),
                None => write!(f, "was ended by signal {signal}"),
            },
        }
    }
}

/// Reads an input validator's exit: valid is 42 (ICPC) or 0 (testlib).
pub fn input_validator(protocol: Protocol, exit: Exit) -> InputSaid {
    let valid = match protocol {
        Protocol::Icpc => 42,
        Protocol::Testlib => 0,
    };
    if exit.code() == Some(valid) { InputSaid::Valid } else { InputSaid::Invalid(exit) }
}

/// Reads an output validator's, checker's or interactor's exit. `stderr` is looked at for testlib's points only.
///
/// ICPC: 42 accepted, 43 wrong. testlib: 0 accepted, 1 wrong, 2 presentation error, 4 unexpected end of file and 8
/// partially correct are wrong, 7 is points; 3 is the checker's own failure.
pub fn output_validator(protocol: Protocol, exit: Exit, stderr: &[u8]) -> OutputSaid {
    match (protocol, exit.code()) {
        (Protocol::Icpc, Some(42)) | (Protocol::Testlib, Some(0)) => OutputSaid::Accepted,
        (Protocol::Icpc, Some(43)) | (Protocol::Testlib, Some(1 | 2 | 4 | 8)) => OutputSaid::Wrong,
        (Protocol::Testlib, Some(7)) => points(stderr).map_or(OutputSaid::Fault(exit), OutputSaid::Points),
        _ => OutputSaid::Fault(exit),
    }
}

/// `points X …` at the start of what a testlib checker says; X is a decimal of at least 0.
fn points(stderr: &[u8]) -> Option<f64> {
    let text = String::from_utf8_lossy(stderr.get(..1_024.min(stderr.len())).unwrap_or_default());
    let mut words = text.split_ascii_whitespace();
    if words.next() != Some("points") {
        return None;
    }
    let word = words.next()?;
    let points: f64 = super::checker::parse_decimal(word.as_bytes())?;
    (points >= 0.0).then_some(points)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn exit(code: i32) -> Exit {
        Exit { end: End::Exited(code), killed: None }
    }

    #[rstest]
    #[case(Protocol::Icpc, 42, true)]
    #[case(Protocol::Icpc, 0, false)]
    #[case(Protocol::Icpc, 43, false)]
    #[case(Protocol::Icpc, 1, false)]
    #[case(Protocol::Testlib, 0, true)]
    #[case(Protocol::Testlib, 42, false)]
    #[case(Protocol::Testlib, 3, false)]
    fn input_validators(#[case] protocol: Protocol, #[case] code: i32, #[case] valid: bool) {
        assert_eq!(input_validator(protocol, exit(code)) == InputSaid::Valid, valid);
    }

    #[rstest]
    #[case(Protocol::Icpc, 42, "", OutputSaid::Accepted)]
    #[case(Protocol::Icpc, 43, "", OutputSaid::Wrong)]
    #[case(Protocol::Icpc, 0, "", OutputSaid::Fault(exit(0)))]
    #[case(Protocol::Icpc, 1, "", OutputSaid::Fault(exit(1)))]
    #[case(Protocol::Testlib, 0, "ok", OutputSaid::Accepted)]
    #[case(Protocol::Testlib, 1, "wrong answer", OutputSaid::Wrong)]
    #[case(Protocol::Testlib, 2, "wrong output format", OutputSaid::Wrong)]
    #[case(Protocol::Testlib, 3, "FAIL", OutputSaid::Fault(exit(3)))]
    #[case(Protocol::Testlib, 4, "unexpected eof", OutputSaid::Wrong)]
    #[case(Protocol::Testlib, 5, "", OutputSaid::Fault(exit(5)))]
    #[case(Protocol::Testlib, 7, "points 12.5 well done", OutputSaid::Points(12.5))]
    #[case(Protocol::Testlib, 7, "points nan", OutputSaid::Fault(exit(7)))]
    #[case(Protocol::Testlib, 7, "points -1", OutputSaid::Fault(exit(7)))]
    #[case(Protocol::Testlib, 7, "well done", OutputSaid::Fault(exit(7)))]
    #[case(Protocol::Testlib, 8, "", OutputSaid::Wrong)]
    fn output_validators(
        #[case] protocol: Protocol,
        #[case] code: i32,
        #[case] stderr: &str,
        #[case] said: OutputSaid,
    ) {
        assert_eq!(output_validator(protocol, exit(code), stderr.as_bytes()), said);
    }

    #[test]
    fn a_validator_that_was_killed_or_crashed_said_nothing() {
        let late = Exit { end: End::Exited(42), killed: Some(KillReason::Wall) };
        assert_eq!(output_validator(Protocol::Icpc, late, b""), OutputSaid::Fault(late));
        assert_eq!(late.to_string(), "took too long");
        let crashed = Exit { end: End::Signaled(11), killed: None };
        assert_eq!(input_validator(Protocol::Icpc, crashed), InputSaid::Invalid(crashed));
        assert_eq!(crashed.to_string(), "was ended by SIGSEGV");
    }

    proptest! {
        #[test]
        fn whatever_a_checker_prints_only_its_exit_counts_but_for_points(
            stderr in prop_oneof![proptest::collection::vec(any::<u8>(), 0..80), "(points )?[-+0-9.e]{0,9}( .*)?".prop_map(String::into_bytes)],
            code in 0_i32..60, testlib in any::<bool>(),
        ) {
            let protocol = if testlib { Protocol::Testlib } else { Protocol::Icpc };
            match output_validator(protocol, exit(code), &stderr) {
                OutputSaid::Points(points) => prop_assert!(testlib && code == 7 && points.is_finite() && points >= 0.0),
                said => prop_assert!(testlib && code == 7 || said == output_validator(protocol, exit(code), b"")),
            }
        }
    }
}
