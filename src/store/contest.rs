//! Contests and which problems they have, under which letters.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{Names, Texts, text_enum};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::problem::ProblemState;
use super::{StoreError, WriteTx};
use crate::domain::contest::ContestTimes;
use crate::domain::ids::{ContestId, ProblemId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

/// The slug of the contest that is always open.
pub const PRACTICE: &str = "practice";
/// ICPC's penalty time, minutes.
const PENALTY_MINUTES: i64 = 20;

text_enum! {
    /// CLICS `scoreboard_type`.
    pub enum Scoring {
        /// ICPC: problems solved, then penalty.
        PassFail = "pass-fail",
        /// IOI: points.
        Score = "score",
    }
}

text_enum! {
    /// What a problem's points are the best of, where points are ranked by.
    pub enum PointsFrom {
        /// Its submissions.
        Submissions = "submissions",
        /// Its test groups, each by itself.
        Groups = "groups",
    }
}

text_enum! {
    /// What contestants learn of a secret test that failed.
    pub enum FailedTests {
        /// That one failed.
        Nothing = "nothing",
        /// Which one, counted from 1.
        Number = "number",
        /// Which one; after the contest's end also a small input on which the program goes wrong.
        CounterexampleAfterEnd = "counterexample_after_end",
    }
}

text_enum! {
    /// Who takes part.
    pub enum Access {
        /// Whoever submits.
        Open = "open",
        /// The teams that are invited.
        Invitation = "invitation",
    }
}

/// A contest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contest {
    /// Its id.
    pub id: ContestId,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// When it starts.
    pub start: EpochMs,
    /// How long it lasts, milliseconds; `None`: it never ends.
    pub duration_ms: Option<i64>,
    /// For how long before the end the public board is frozen, milliseconds.
    pub freeze_ms: Option<i64>,
    /// When the board was thawed.
    pub thawed: Option<EpochMs>,
    /// What a rejected try costs, minutes.
    pub penalty_minutes: i64,
    /// How it is scored.
    pub scoring: Scoring,
    /// What points are the best of.
    pub points_from: PointsFrom,
    /// What contestants learn of a secret test that failed.
    pub failed_tests: FailedTests,
    /// When its result was made final.
    pub finalized: Option<EpochMs>,
    /// Since when its clock stands still.
    pub paused: Option<EpochMs>,
    /// Who takes part.
    pub access: Access,
    /// The languages that it allows; `None`: all.
    pub languages: Option<Texts>,
    /// Whether its problems take submissions that don't count once it is over.
    pub practice_after: bool,
    /// Whether its submissions are judged only where the tools are the server's own, version for version.
    pub equal_toolchains: bool,
    /// Grows with every change: who changes an older one is told.
    pub version: i64,
}

impl Contest {
    /// Its times.
    pub const fn times(&self) -> ContestTimes {
        ContestTimes {
            start: self.start,
            duration_ms: self.duration_ms,
            freeze_ms: self.freeze_ms,
            paused: self.paused,
        }
    }

    /// The moment from which submissions are hidden from others until the thaw; `None` when nothing is hidden.
    pub fn frozen_from(&self) -> Option<EpochMs> {
        match (self.duration_ms, self.freeze_ms, self.thawed) {
            (Some(duration), Some(freeze), None) => Some(self.start.plus_ms(duration - freeze)),
            _ => None,
        }
    }

    /// Whether this is the contest that is always open.
    pub fn is_practice(&self) -> bool {
        self.slug.as_str() == PRACTICE
    }
}

/// A problem's place in a contest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContestProblem {
    /// The problem.
    pub problem_id: ProblemId,
    /// Its name in addresses.
    pub slug: Slug,
    /// Its names for people; empty until a package is ready.
    pub names: Names,
    /// Its state.
    pub state: ProblemState,
    /// 1, 2, 3, ...
    pub ordinal: i64,
    /// Its letter.
    pub label: String,
    /// Its colour, `#rrggbb`.
    pub rgb: String,
}

/// The contest with this slug.
pub async fn by_slug(executor: impl SqliteExecutor<'_>, slug: &str) -> Result<Option<Contest>, StoreError> {
    let contest = sqlx::query_as!(
        Contest,
        r#"select id as "id!: _", slug as "slug: _", name, start_ms as "start: _", duration_ms, freeze_ms,
            thawed_ms as "thawed: _", penalty_minutes, scoring as "scoring: _",
            failed_tests as "failed_tests: _", finalized_ms as "finalized: _", paused_ms as "paused: _",
            access as "access: _", languages as "languages: _", practice_after as "practice_after: _",
            equal_toolchains as "equal_toolchains: _", points_from as "points_from: _", version
        from contest where slug = ?"#,
        slug
    )
    .fetch_optional(executor)
    .await?;
    Ok(contest)
}

/// The contest with this id.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: ContestId) -> Result<Option<Contest>, StoreError> {
    let contest = sqlx::query_as!(
        Contest,
        r#"select id as "id!: _", slug as "slug: _", name, start_ms as "start: _", duration_ms, freeze_ms,
            thawed_ms as "thawed: _", penalty_minutes, scoring as "scoring: _",
            failed_tests as "failed_tests: _", finalized_ms as "finalized: _", paused_ms as "paused: _",
            access as "access: _", languages as "languages: _", practice_after as "practice_after: _",
            equal_toolchains as "equal_toolchains: _", points_from as "points_from: _", version
        from contest where id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(contest)
}

/// Changes what contestants learn of failed secret tests.
pub async fn set_failed_tests(
    tx: &mut WriteTx,
    id: ContestId,
    failed_tests: FailedTests,
    now: EpochMs,
) -> Result<(), StoreError> {
    // What is asked for again skips what is made already.
    sqlx::query!(
        "update contest set failed_tests = ?, counterexamples_ms = null, version = version + 1 where id = ?",
        failed_tests,
        id
    )
    .execute(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Contest, EventOp::Update, id.0).contest(id), now).await?;
    Ok(())
}

/// All contests, the latest start first.
pub async fn list(pool: &SqlitePool) -> Result<Vec<Contest>, StoreError> {
    let contests = sqlx::query_as!(
        Contest,
        r#"select id as "id!: _", slug as "slug: _", name, start_ms as "start: _", duration_ms, freeze_ms,
            thawed_ms as "thawed: _", penalty_minutes, scoring as "scoring: _",
            failed_tests as "failed_tests: _", finalized_ms as "finalized: _", paused_ms as "paused: _",
            access as "access: _", languages as "languages: _", practice_after as "practice_after: _",
            equal_toolchains as "equal_toolchains: _", points_from as "points_from: _", version
        from contest order by start_ms desc, id desc"#
    )
    .fetch_all(pool)
    .await?;
    Ok(contests)
}

/// The problems of a contest, in order.
pub async fn problems(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
) -> Result<Vec<ContestProblem>, StoreError> {
    let problems = sqlx::query_as!(
        ContestProblem,
        r#"select p.id as "problem_id!: _", p.slug as "slug: _", coalesce(k.names, '{}') as "names!: _",
            p.state as "state: _", c.ordinal, c.label, c.rgb
        from contest_problem c join problem p on p.id = c.problem_id left join package k on k.id = p.package_id
        where c.contest_id = ? order by c.ordinal"#,
        contest
    )
    .fetch_all(executor)
    .await?;
    Ok(problems)
}

/// Whether the contest has the problem.
pub async fn has_problem(
    executor: impl SqliteExecutor<'_>,
    contest: ContestId,
    problem: ProblemId,
) -> Result<bool, StoreError> {
    let has = sqlx::query_scalar!(
        r#"select exists (select 1 from contest_problem where contest_id = ? and problem_id = ?) as "has!: bool""#,
        contest,
        problem
    )
    .fetch_one(executor)
    .await?;
    Ok(has)
}

/// Makes the practice contest unless it is there.
pub async fn ensure_practice(tx: &mut WriteTx, now: EpochMs) -> Result<ContestId, StoreError> {
    if let Some(contest) = by_slug(&mut **tx, PRACTICE).await? {
        return Ok(contest.id);
    }
    let id = sqlx::query_scalar!(
        r#"insert into contest (slug, name, start_ms, penalty_minutes, scoring, created_ms)
        values (?1, 'Practice', ?2, ?3, 'pass-fail', ?2) returning id as "id!: ContestId""#,
        PRACTICE,
        now,
        PENALTY_MINUTES
    )
    .fetch_one(&mut **tx)
    .await?;
    event::append(tx, NewEvent::new(EventKind::Contest, EventOp::Create, id.0).contest(id), now).await?;
    Ok(id)
}

/// Gives the problem the contest's next letter, unless it is in it already.
pub async fn add_problem(
    tx: &mut WriteTx,
    contest: ContestId,
    problem: ProblemId,
    now: EpochMs,
) -> Result<(), StoreError> {
    let place = sqlx::query!(
        r#"select coalesce(max(ordinal), 0) as "last!: u32", coalesce(max(problem_id = ?1), 0) as "has!: bool"
        from contest_problem where contest_id = ?2"#,
        problem,
        contest
    )
    .fetch_one(&mut **tx)
    .await?;
    if place.has {
        return Ok(());
    }
    let ordinal = place.last + 1;
    let label = label(place.last);
    let rgb = PALETTE[place.last as usize % PALETTE.len()];
    sqlx::query!(
        "insert into contest_problem (contest_id, problem_id, ordinal, label, rgb) values (?, ?, ?, ?, ?)",
        contest,
        problem,
        ordinal,
        label,
        rgb
    )
    .execute(&mut **tx)
    .await?;
    let event = NewEvent::new(EventKind::Problem, EventOp::Create, problem.0).contest(contest).problem(problem);
    event::append(tx, event, now).await?;
    Ok(())
}

/// The colour that the problem at this place gets, counted from 0, unless somebody chooses another.
pub fn usual_colour(index: usize) -> &'static str {
    PALETTE[index % PALETTE.len()]
}

/// Balloon colours that stay apart for most eyes, in the order in which problems get them.
const PALETTE: [&str; 13] = [
    "#e6194b", "#4363d8", "#3cb44b", "#ffe119", "#911eb4", "#f58231", "#42d4f4", "#f032e6", "#bfef45", "#fabed4",
    "#469990", "#9a6324", "#808000",
];

/// A, B, ..., Z, AA, AB, ... for 0, 1, ...
fn label(index: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = index + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or_default()));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 1, 25, 26, 27, 701, 702].map(label), ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
