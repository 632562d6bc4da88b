//! What the staff sees, as JSON for programs: the same from the API and from the command line. Times are milliseconds
//! since 1970. Must not know: who asks, and what they may see.

use serde_json::{Value, json};

use super::affiliations::WantedAffiliation;
use super::clarifications::Thread;
use super::farm::Machine;
use super::health::{Health, SPAN_MS};
use super::problem_settings::{Checker, ProblemSettings};
use super::problem_versions::History;
use super::rejudge_preview::Preview;
use super::teams::{WantedTeam, seen_of};
use super::verifications::VerificationPage;
use crate::domain::contest::Phase;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::store::affiliation::Affiliation;
use crate::store::clarification::Clarification;
use crate::store::contest::{Contest, ContestProblem};
use crate::store::host_fit::Misfit;
use crate::store::problem::ProblemOverview;
use crate::store::proposal::Proposal;
use crate::store::team::Team;
use crate::store::test_case::TestCase;

/// A problem in the list of all.
pub fn problem(row: &ProblemOverview) -> Value {
    json!({
        "id": row.slug, "name": row.names.in_language("en"), "state": row.state, "tests": row.tests,
        "newest_version": row.newest_version, "newest_state": row.newest_state, "message": row.newest_message,
    })
}

/// A problem with its versions, newest first.
pub fn history(of: &History) -> Value {
    let (package, set) = (of.problem.package_id, of.problem.test_set_id);
    let version = of.packages.iter().find(|one| Some(one.id) == package).map(|one| one.version);
    let tests_version = of.tests.iter().find(|one| Some(one.id) == set).map(|one| one.version);
    let packages: Vec<Value> = of
        .packages
        .iter()
        .map(|one| {
            json!({
                "version": one.version, "state": one.state, "message": one.message, "created": one.created,
                "created_by": one.created_by, "changed_files": one.changed, "changed_file": one.changed_path,
            })
        })
        .collect();
    let tests: Vec<Value> = of
        .tests
        .iter()
        .map(|one| {
            json!({
                "version": one.version, "reason": one.reason, "refused": one.refused, "created": one.created,
                "created_by": one.created_by,
            })
        })
        .collect();
    json!({
        "id": of.problem.slug, "state": of.problem.state, "version": version, "tests_version": tests_version,
        "versions": packages, "versions_of_tests": tests,
    })
}

/// A problem's checker and languages.
pub fn settings(of: &ProblemSettings) -> Value {
    let checker = match &of.checker {
        Checker::Custom(programs) => json!({ "programs": programs }),
        Checker::Default(None) => json!({ "differs": true }),
        Checker::Default(Some(flags)) => json!({ "arguments": flags.args() }),
    };
    json!({ "checker": checker, "languages": of.languages })
}

/// One of the tests in force.
pub fn test(test: &TestCase) -> Value {
    json!({
        "id": test.id.to_string(), "place": test.ordinal, "name": test.name, "group": test.group,
        "sample": test.sample, "origin": test.origin, "generator": test.recipe,
        "input": { "bytes": test.input_bytes, "sha256": test.input_sha256 },
        "answer": { "bytes": test.answer_bytes, "sha256": test.answer_sha256 },
    })
}

/// A test that was offered, and what became of it.
pub fn proposal(of: &Proposal) -> Value {
    json!({
        "id": of.id.to_string(), "name": of.name, "replaces": of.replaces, "generator": of.recipe,
        "sample": of.sample, "state": of.state, "message": of.message, "difference": of.difference,
        "created": of.created, "created_by": of.created_by,
        "input": { "bytes": of.input_bytes, "sha256": of.input_sha256 },
    })
}

/// A problem's newest verification.
pub fn verification(page: &VerificationPage) -> Value {
    let shown = page.shown.as_ref().map(|one| {
        json!({
            "id": one.id.to_string(), "version": one.package_version, "decides": one.decides, "state": one.state,
            "part": one.part, "part_done": one.part_done, "part_total": one.part_total, "message": one.message,
            "created": one.created, "ended": one.end,
        })
    });
    json!({
        "problem": page.problem.slug, "verification": shown, "programs": page.programs, "report": page.report,
    })
}

/// A rejudging with everything that it changes.
pub fn preview(of: &Preview) -> Value {
    let changes: Vec<Value> = of
        .changes
        .iter()
        .map(|pair| {
            json!({
                "submission": pair.submission_id, "judgement": pair.after_id,
                "before": pair.before.map(Verdict::code), "after": pair.after.map(Verdict::code),
            })
        })
        .collect();
    let boards: Vec<Value> = of
        .boards
        .iter()
        .map(|board| {
            let moved: Vec<Value> = board
                .moved
                .iter()
                .map(|moved| {
                    json!({
                        "team": &*moved.name, "before": moved.before, "after": moved.after,
                        "first_won": moved.firsts_won, "first_lost": moved.firsts_lost,
                    })
                })
                .collect();
            json!({ "contest": board.contest.slug, "moved": moved, "awards": board.awards })
        })
        .collect();
    json!({
        "rejudging": of.rejudging, "changes": changes, "same": of.same, "boards": boards,
        "failed": of.kept.failed, "overtaken": of.kept.overtaken, "digest": of.digest,
        "may_apply": of.may_apply(), "may_undo": of.may_undo(),
    })
}

/// How far a contest is, in a word.
pub fn contest_state(of: &Contest, now: EpochMs) -> &'static str {
    match of.times().phase(now) {
        _ if of.paused.is_some() => "paused",
        Phase::Before => "before",
        Phase::Running => "running",
        Phase::Ended if of.finalized.is_some() => "final",
        Phase::Ended => "ended",
    }
}

/// A contest with its settings. `version` says which of its states this is.
pub fn contest(of: &Contest, now: EpochMs) -> Value {
    json!({
        "id": of.slug, "version": of.version, "name": of.name, "state": contest_state(of, now), "start": of.start,
        "start_ms": of.start, "duration_ms": of.duration_ms, "freeze_ms": of.freeze_ms,
        "penalty_minutes": of.penalty_minutes, "scoring": of.scoring,
        "points_from": of.points_from, "failed_tests": of.failed_tests,
        "access": of.access, "languages": of.languages, "practice_after": of.practice_after,
        "thawed": of.thawed, "finalized": of.finalized,
    })
}

/// A problem's place in a contest.
pub fn place(of: &ContestProblem) -> Value {
    json!({ "id": of.slug, "label": of.label, "rgb": of.rgb })
}

/// A team. `seen` says which of its states this is.
pub fn team(of: &Team) -> Value {
    json!({
        "id": of.id.to_string(), "external_id": of.external_id, "icpc_id": of.icpc_id, "label": of.label,
        "name": of.name, "display_name": of.display_name, "organization": of.organization, "groups": of.groups,
        "hidden": of.hidden, "member_count": of.members, "disabled_count": of.disabled,
        "seen": seen_of(&WantedTeam::from(of)),
    })
}

/// A group or an organization. `seen` says which of its states this is.
pub fn affiliation(of: &Affiliation) -> Value {
    json!({
        "id": of.id, "icpc_id": of.icpc_id, "name": of.name, "formal_name": of.formal_name, "country": of.country,
        "hidden": of.hidden, "team_count": of.teams, "seen": seen_of(&WantedAffiliation::from(of)),
    })
}

/// A question or an announcement with its answers.
pub fn thread(of: &Thread) -> Value {
    let message = |one: &Clarification| {
        json!({
            "id": one.id.to_string(), "from": one.from_name, "text": one.text, "created": one.created,
            "problem": one.problem_names.as_ref().and_then(|names| names.in_language("en")),
        })
    };
    let mut told = message(&of.first);
    told["answers"] = of.answers.iter().map(message).collect();
    told
}

/// A machine that judges for this server.
pub fn machine(of: &Machine) -> Value {
    let Machine { worker, jobs, misfits } = of;
    let jobs: Vec<Value> = jobs
        .iter()
        .map(
            |one| json!({ "kind": one.kind, "slot": one.worker, "submission": one.submission, "problem": one.problem }),
        )
        .collect();
    json!({
        "name": worker.name, "state": worker.state, "version": worker.version, "slots": worker.slots,
        "refused": worker.refused, "clock_ahead_ms": worker.clock_ahead_ms, "first_seen": worker.first_seen,
        "last_seen": worker.last_seen, "running": jobs, "kind": worker.kind,
        "trouble": worker.trouble, "trouble_at": worker.trouble_at,
        "left_out_of": misfits.iter().map(misfit).collect::<Vec<_>>(),
        "measure": serde_json::from_str::<Value>(&worker.measure).unwrap_or_default(),
    })
}

fn misfit(of: &Misfit) -> Value {
    json!({
        "problem": of.problem, "state": of.state, "limit_ms": of.limit_ms, "least_ms": of.least_ms, "most_ms": of.most_ms,
    })
}

/// How the judge does.
pub fn health(of: &Health) -> Value {
    let queue: Vec<Value> = of
        .queue
        .iter()
        .map(|one| json!({ "kind": one.kind, "queued": one.queued, "running": one.leased, "oldest": one.oldest }))
        .collect();
    let running: Vec<Value> = of
        .running
        .iter()
        .map(|one| {
            json!({
                "kind": one.kind, "worker": one.worker, "attempts": one.attempts, "submission": one.submission,
                "problem": one.problem, "created": one.created,
            })
        })
        .collect();
    let failures: Vec<Value> = of
        .failures
        .iter()
        .map(|one| {
            json!({
                "kind": one.kind, "cause": one.cause, "submission": one.submission, "problem": one.problem,
                "created": one.created,
            })
        })
        .collect();
    let ended: Vec<Value> = of
        .ended
        .iter()
        .map(|one| {
            let from = of.from.plus_ms(SPAN_MS * i64::from(one.span));
            json!({ "from": from, "judgements": one.judgements, "faults": one.faults })
        })
        .collect();
    json!({
        "queue": queue, "running": running, "failures": failures, "database_bytes": of.database_bytes,
        "span_ms": SPAN_MS, "judged": ended,
    })
}
