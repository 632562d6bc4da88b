//! Which test rejects which wrong program.
//!
//! Owns: the matrix and what follows from it: wrong programs that survive every test (the data is too weak), tests that
//! no wrong program needs (a hint). Must not know how the verdicts came about.

use std::fmt;

use crate::domain::verdict::Verdict;
pub use crate::domain::verification::{Findings, KillMatrix, WrongProgram};

impl KillMatrix {
    /// An empty matrix over these tests.
    pub fn new(tests: Vec<String>) -> Self {
        Self { tests, programs: Vec::new() }
    }

    /// Adds a wrong program with its runs, as (index of the test, verdict). Indices outside the tests are ignored.
    pub fn add(&mut self, name: impl Into<String>, runs: impl IntoIterator<Item = (usize, Verdict)>) {
        let mut verdicts = vec![None; self.tests.len()];
        for (index, verdict) in runs {
            if let Some(cell) = verdicts.get_mut(index) {
                *cell = Some(verdict);
            }
        }
        self.programs.push(WrongProgram { name: name.into(), verdicts });
    }

    /// What it shows. Only a verdict about the program rejects it: JE and a test that wasn't run don't.
    pub fn findings(&self) -> Findings {
        let mut findings = Findings::default();
        let mut kills = vec![0_usize; self.tests.len()];
        for program in &self.programs {
            let killers: Vec<usize> = (0..self.tests.len())
                .filter(|&test| program.verdicts.get(test).copied().flatten().is_some_and(rejects))
                .collect();
            for &test in &killers {
                kills[test] += 1;
            }
            match killers.as_slice() {
                [] => findings.survivors.push(program.name.clone()),
                [only] => findings.single_killers.push((program.name.clone(), self.tests[*only].clone())),
                _ => {}
            }
        }
        // Without any wrong program, "no program needs it" would say nothing about a test.
        if !self.programs.is_empty() {
            let idle = self.tests.iter().zip(&kills).filter(|(_, kills)| **kills == 0);
            findings.idle_tests = idle.map(|(test, _)| test.clone()).collect();
        }
        findings
    }
}

fn rejects(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Accepted | Verdict::JudgingError)
}

/// The most tests beside each other in the table, so that it fits a screen.
const COLUMNS: usize = 25;

/// A table with a row for each program and a numbered column for each test, the numbers explained below it. Where there
/// are many tests, several such tables below each other.
impl fmt::Display for KillMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.programs.iter().map(|program| program.name.chars().count()).max().unwrap_or(0);
        for begin in (0..self.tests.len()).step_by(COLUMNS) {
            let columns = begin..(begin + COLUMNS).min(self.tests.len());
            write!(f, "{:width$}", "")?;
            for index in columns.clone() {
                write!(f, " {:>3}", index + 1)?;
            }
            writeln!(f)?;
            for program in &self.programs {
                write!(f, "{:width$}", program.name)?;
                for verdict in columns.clone().map(|test| program.verdicts.get(test).copied().flatten()) {
                    match verdict {
                        None => write!(f, "   .")?,
                        Some(Verdict::Accepted) => write!(f, "   -")?,
                        Some(verdict) => write!(f, " {verdict:>3}")?,
                    }
                }
                writeln!(f)?;
            }
        }
        for (index, test) in self.tests.iter().enumerate() {
            writeln!(f, "{:>4} {test}", index + 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> KillMatrix {
        use Verdict::{Accepted, JudgingError, RunTimeError, WrongAnswer};
        let mut matrix = KillMatrix::new(vec!["sample/1".into(), "secret/1".into(), "secret/2".into()]);
        matrix.add("wrong_answer/a.c", [(0, Accepted), (1, WrongAnswer), (2, WrongAnswer)]);
        matrix.add("run_time_error/b.py", [(0, Accepted), (1, RunTimeError)]);
        matrix.add("wrong_answer/c.c", [(0, Accepted), (1, Accepted), (2, JudgingError)]);
        matrix
    }

    #[test]
    fn survivors_and_idle_tests_are_found() {
        let findings = matrix().findings();
        assert_eq!(findings.survivors, ["wrong_answer/c.c"]);
        assert_eq!(findings.idle_tests, ["sample/1"]);
        assert_eq!(findings.single_killers, [("run_time_error/b.py".to_owned(), "secret/1".to_owned())]);
        assert_eq!(KillMatrix::new(vec!["secret/1".into()]).findings(), Findings::default());
    }

    #[test]
    fn the_table_is_readable() {
        insta::assert_snapshot!(matrix(), @r"
                              1   2   3
        wrong_answer/a.c      -  WA  WA
        run_time_error/b.py   - RTE   .
        wrong_answer/c.c      -   -  JE
           1 sample/1
           2 secret/1
           3 secret/2
        ");
    }

    #[test]
    fn a_wide_table_is_broken() {
        let mut matrix = KillMatrix::new((1..=30).map(|index| format!("secret/{index}")).collect());
        matrix.add("wrong_answer/a.c", [(0, Verdict::Accepted), (29, Verdict::WrongAnswer)]);
        let text = matrix.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
        assert!(text.contains("\nwrong_answer/a.c   .   .   .   .  WA\n"), "{text}");
    }
}
