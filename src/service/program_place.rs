//! Whether a contest and its problem take a program, handed in or only tried. Must not know: what becomes of it.

use super::submissions::SubmitError;
use super::{Actor, virtual_runs};
use crate::domain::contest::Phase;
use crate::domain::ids::VirtualRunId;
use crate::domain::language::LanguageId;
use crate::domain::time::EpochMs;
use crate::store::contest::{Access, Contest, PRACTICE};
use crate::store::problem::{Problem, ProblemState};
use crate::store::{WriteTx, contest, contest_setting, package, problem};

/// Where a program is for, and what it is written in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub contest: Option<&'a str>,
    pub problem: &'a str,
    pub language: &'a LanguageId,
}

/// Where a program goes.
pub(super) struct Taken {
    pub contest: Contest,
    pub problem: Problem,
    /// By the team's own clock.
    pub virtual_run: Option<VirtualRunId>,
}

/// The contest is running, or the team's own clock in it is; it has the problem, and the problem takes the language.
pub(super) async fn check_place(
    tx: &mut WriteTx,
    actor: &Actor,
    new: Place<'_>,
    now: EpochMs,
) -> Result<Taken, SubmitError> {
    let slug = new.contest.unwrap_or(PRACTICE);
    let found = contest::by_slug(&mut **tx, slug).await?;
    let contest = found.ok_or_else(|| SubmitError::NoSuchContest(slug.to_owned()))?;
    let phase = contest.times().phase(now);
    let virtual_run = match actor.team_id.filter(|_| phase == Phase::Ended) {
        Some(team) => virtual_runs::running(tx, &contest, team, now).await?.map(|run| run.id),
        None => None,
    };
    match phase {
        Phase::Running if contest.paused.is_some() => return Err(SubmitError::Paused(contest.name)),
        Phase::Running => {}
        Phase::Before => return Err(SubmitError::NotBegun(contest.name)),
        // What comes after the end doesn't count; it is judged for practice.
        Phase::Ended if contest.practice_after || virtual_run.is_some() => {}
        Phase::Ended => return Err(SubmitError::Over(contest.name)),
    }
    if contest.access == Access::Invitation {
        let team = actor.team_id.ok_or(SubmitError::NoTeam)?;
        if !contest_setting::has_team(&mut **tx, contest.id, team).await? {
            return Err(SubmitError::NotInvited(contest.name));
        }
    }
    let unknown = || SubmitError::NoSuchProblem(new.problem.to_owned());
    let problem = problem::by_slug(&mut **tx, new.problem).await?.ok_or_else(unknown)?;
    let Some(package) = problem.package_id.filter(|_| problem.state == ProblemState::Published) else {
        return Err(SubmitError::NotPublished(problem.slug));
    };
    if !contest::has_problem(&mut **tx, contest.id, problem.id).await? {
        return Err(unknown());
    }
    for allowed in [package::languages(&mut **tx, package).await?, contest.languages.clone()].into_iter().flatten() {
        if !allowed.0.iter().any(|allowed| allowed == new.language.as_str()) {
            let allowed = allowed.0.join(", ");
            return Err(SubmitError::LanguageNotAllowed { language: new.language.clone(), allowed });
        }
    }
    Ok(Taken { contest, problem, virtual_run })
}

/// The program is no longer than the problem takes. A ready program is no code.
pub(super) async fn check_code(
    tx: &mut WriteTx,
    problem: &Problem,
    language: &LanguageId,
    bytes: u64,
) -> Result<(), SubmitError> {
    let Some(package) = problem.package_id.filter(|_| language.as_str() != "elf") else { return Ok(()) };
    match package::code_bytes(&mut **tx, package).await? {
        Some(most) if bytes > most => Err(SubmitError::TooMuchCode { bytes, most }),
        _ => Ok(()),
    }
}
