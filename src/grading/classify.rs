//! What one run's facts mean, before anybody looks at its output.
//!
//! Owns: the order in which causes win (OLE > TLE > MLE > RTE). Must not know the output's
//! contents. Only what the sandbox measured counts: a program that kills itself with SIGKILL or exits 137 is a crash.

pub use crate::domain::cause::Cause;
use crate::domain::limits::Limits;
use crate::domain::verdict::Verdict;
use crate::sandbox::{End, KillReason, RunReport};

/// The facts of a run that decide its verdict: a [`RunReport`] without its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunFacts {
    /// How the first process ended.
    pub end: End,
    /// The limit for which the sandbox ended the run.
    pub killed: Option<KillReason>,
    /// User + system time of the whole tree, microseconds.
    pub cpu_us: u64,
    /// Wall-clock time, microseconds.
    pub wall_us: u64,
    /// Peak resident memory, bytes.
    pub memory_bytes: u64,
    /// Whether the kernel killed something in it for memory.
    pub oom_killed: bool,
    /// Whether it printed more than the output limit.
    pub output_truncated: bool,
    /// Whether a fatal memory access lay close to the stack.
    pub stack_overflow_hint: bool,
}

impl From<&RunReport> for RunFacts {
    fn from(report: &RunReport) -> Self {
        Self {
            end: report.end,
            killed: report.killed,
            cpu_us: report.cpu_us,
            wall_us: report.wall_us,
            memory_bytes: report.memory_bytes,
            oom_killed: report.oom_killed,
            output_truncated: report.stdout.truncated,
            stack_overflow_hint: report.stack_overflow_hint,
        }
    }
}

/// What the facts alone say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classified {
    /// The verdict stands, whatever was printed.
    Decided {
        /// The verdict; never AC or WA.
        verdict: Verdict,
        /// Why.
        cause: Cause,
    },
    /// It exited with 0 within its limits: its output decides.
    NeedsChecker,
}

/// Names what happened to a run that ended by itself or was ended by the sandbox.
pub fn classify(facts: &RunFacts, limits: &Limits) -> Classified {
    match cause(facts, limits) {
        Some(cause) => Classified::Decided { verdict: cause.verdict(), cause },
        None => Classified::NeedsChecker,
    }
}

fn cause(facts: &RunFacts, limits: &Limits) -> Option<Cause> {
    let killed = |reason| facts.killed == Some(reason);
    // Compared in microseconds: a run of exactly the limit is within it.
    let over = |used_us: u64, limit_ms: u64| used_us > limit_ms.saturating_mul(1_000);

    if killed(KillReason::Output) || facts.output_truncated {
        return Some(Cause::Output { limit_bytes: limits.output_bytes });
    }
    if killed(KillReason::Cpu) || over(facts.cpu_us, limits.cpu_ms) {
        return Some(Cause::Cpu { used_ms: facts.cpu_us / 1_000, limit_ms: limits.cpu_ms });
    }
    if killed(KillReason::Wall) || over(facts.wall_us, limits.wall_ms) {
        return Some(Cause::Wall { used_ms: facts.wall_us / 1_000, limit_ms: limits.wall_ms });
    }
    if killed(KillReason::Memory) || facts.oom_killed || facts.memory_bytes > limits.memory_bytes {
        return Some(Cause::Memory { peak_bytes: facts.memory_bytes, limit_bytes: limits.memory_bytes });
    }
    match facts.end {
        End::Exited(0) => None,
        End::Exited(code) => Some(Cause::ExitCode { code }),
        End::Signaled(signal) => {
            // Only a bad access can be an overflow; the hint on anything else would mislead.
            let stack_overflow_hint = facts.stack_overflow_hint && matches!(signal, 7 | 11);
            Some(Cause::Signal { signal, stack_overflow_hint })
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn limits() -> Limits {
        Limits {
            cpu_ms: 1_000,
            wall_ms: Limits::wall_for_cpu(1_000),
            memory_bytes: 256 * MIB,
            output_bytes: 8 * MIB,
            processes: 64,
        }
    }

    fn exited(code: i32) -> RunFacts {
        RunFacts {
            end: End::Exited(code),
            killed: None,
            cpu_us: 400_000,
            wall_us: 500_000,
            memory_bytes: 10 * MIB,
            oom_killed: false,
            output_truncated: false,
            stack_overflow_hint: false,
        }
    }

    fn signaled(signal: i32) -> RunFacts {
        RunFacts { end: End::Signaled(signal), ..exited(0) }
    }

    fn killed(reason: KillReason) -> RunFacts {
        RunFacts { killed: Some(reason), ..signaled(9) }
    }

    #[rstest]
    #[case::exited_well(exited(0), None)]
    #[case::exit_code(exited(1), Some("RTE exited with code 1 instead of 0"))]
    #[case::exit_137_is_its_own(exited(137), Some("RTE exited with code 137 instead of 0"))]
    #[case::exit_152_is_its_own(exited(152), Some("RTE exited with code 152 instead of 0"))]
    #[case::exit_124_is_its_own(exited(124), Some("RTE exited with code 124 instead of 0"))]
    #[case::segv(signaled(11), Some("RTE ended by SIGSEGV (invalid memory access)"))]
    #[case::stack(
        RunFacts { stack_overflow_hint: true, ..signaled(11) },
        Some("RTE ended by SIGSEGV (invalid memory access); stack overflow?")
    )]
    #[case::hint_without_access(
        RunFacts { stack_overflow_hint: true, ..signaled(8) },
        Some("RTE ended by SIGFPE (arithmetic error: a division by zero?)")
    )]
    #[case::abort(signaled(6), Some("RTE ended by SIGABRT (abort: a failed assertion or an uncaught exception?)"))]
    #[case::ill(signaled(4), Some("RTE ended by SIGILL (illegal instruction)"))]
    #[case::kills_itself(signaled(9), Some("RTE ended by SIGKILL (it killed itself)"))]
    #[case::xcpu_itself(signaled(24), Some("RTE ended by SIGXCPU (its own cpu time limit)"))]
    #[case::realtime_signal(signaled(34), Some("RTE ended by signal 34"))]
    #[case::cpu_at_the_limit(RunFacts { cpu_us: 1_000_000, ..exited(0) }, None)]
    #[case::cpu_over(
        RunFacts { cpu_us: 1_000_001, ..exited(0) },
        Some("TLE used 1000 ms of cpu time; the limit is 1000 ms")
    )]
    #[case::cpu_killed(
        RunFacts { cpu_us: 1_104_000, ..killed(KillReason::Cpu) },
        Some("TLE used 1104 ms of cpu time; the limit is 1000 ms")
    )]
    #[case::right_then_never_ends(
        RunFacts { wall_us: 3_010_000, ..killed(KillReason::Wall) },
        Some("TLE idle too long: 3010 ms passed by the clock; at most 3000 ms may")
    )]
    #[case::oom(
        RunFacts { oom_killed: true, memory_bytes: 256 * MIB, ..signaled(9) },
        Some("MLE asked for more memory than the limit of 256 MiB")
    )]
    #[case::oom_of_a_child(
        RunFacts { oom_killed: true, ..exited(0) },
        Some("MLE asked for more memory than the limit of 256 MiB")
    )]
    #[case::peak_over(
        RunFacts { memory_bytes: 300 * MIB + MIB / 2, ..exited(0) },
        Some("MLE used 300.5 MiB of memory; the limit is 256 MiB")
    )]
    #[case::memory_at_the_limit(RunFacts { memory_bytes: 256 * MIB, ..exited(0) }, None)]
    #[case::memory_killed(killed(KillReason::Memory), Some("MLE asked for more memory than the limit of 256 MiB"))]
    #[case::output_killed(killed(KillReason::Output), Some("OLE wrote more than the output limit of 8 MiB"))]
    #[case::output_cut(
        RunFacts { output_truncated: true, ..exited(0) },
        Some("OLE wrote more than the output limit of 8 MiB")
    )]
    #[case::output_beats_time(
        RunFacts { cpu_us: 9_000_000, ..killed(KillReason::Output) },
        Some("OLE wrote more than the output limit of 8 MiB")
    )]
    #[case::time_beats_memory(
        RunFacts { oom_killed: true, cpu_us: 1_200_000, ..signaled(9) },
        Some("TLE used 1200 ms of cpu time; the limit is 1000 ms")
    )]
    #[case::memory_beats_crash(
        RunFacts { memory_bytes: 257 * MIB, ..signaled(6) },
        Some("MLE used 257 MiB of memory; the limit is 256 MiB")
    )]
    fn facts_lead_to(#[case] facts: RunFacts, #[case] expected: Option<&str>) {
        let said = match classify(&facts, &limits()) {
            Classified::NeedsChecker => None,
            Classified::Decided { verdict, cause } => Some(format!("{verdict} {cause}")),
        };
        assert_eq!(said.as_deref(), expected);
    }

    #[test]
    fn causes_are_stored_as_json() {
        let cause = Cause::Signal { signal: 11, stack_overflow_hint: true };
        let json = serde_json::to_string(&cause).unwrap();
        assert_eq!(json, r#"{"cause":"signal","signal":11,"stack_overflow_hint":true}"#);
        assert_eq!(serde_json::from_str::<Cause>(&json).unwrap(), cause);
    }
}
