//! Who may see what of submissions and tests. Everything that leaves the service towards a page goes through here.

use super::Actor;
use super::clarifications::Thread;
use super::submissions::ShownTests;
use crate::domain::account::Role;
use crate::domain::ids::TeamId;
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::store::contest::FailedTests;
use crate::store::judgement::{Judgement, JudgementState, Run};
use crate::store::submission::SubmissionRow;

/// Secret tests' data.
pub(super) fn may_see_tests(viewer: Option<&Actor>) -> bool {
    viewer.is_some_and(|viewer| viewer.is_at_least(Role::Setter))
}

/// Everybody's submissions, frozen verdicts and hidden teams.
pub(super) fn is_judge(viewer: Option<&Actor>) -> bool {
    viewer.is_some_and(|viewer| viewer.is_at_least(Role::Judge))
}

/// Whether the submission is the viewer's own: handed in by them, or by their team.
pub(super) fn owns(viewer: Option<&Actor>, row: &SubmissionRow) -> bool {
    viewer.is_some_and(|viewer| viewer.account_id == row.account_id || viewer.team_id == Some(row.team_id))
}

/// Source and compiler's words: one's own, and a judge's to all.
pub(super) fn may_see_source(viewer: Option<&Actor>, row: &SubmissionRow) -> bool {
    is_judge(viewer) || owns(viewer, row)
}

/// A hidden team's submissions don't exist for others.
pub(super) fn may_see_row(viewer: Option<&Actor>, row: &SubmissionRow) -> bool {
    !row.team_hidden || may_see_source(viewer, row)
}

/// Whether the freeze hides how this submission went.
pub(super) fn result_is_hidden(viewer: Option<&Actor>, row: &SubmissionRow, frozen_from: Option<EpochMs>) -> bool {
    frozen_from.is_some_and(|from| row.submitted >= from) && !may_see_source(viewer, row)
}

/// Cuts away how a submission went: it looks as if nobody had begun to judge it.
pub(super) fn hide_result(row: &mut SubmissionRow) {
    row.state = JudgementState::Queued;
    row.verdict = None;
    row.failed_ordinal = None;
    row.tests_done = 0;
    row.cpu_ms = None;
    row.memory_bytes = None;
}

/// What a rejudging came to is the staff's alone until it is applied. What once counted stays readable.
pub(super) fn may_see_judgement(viewer: Option<&Actor>, judgement: &Judgement) -> bool {
    is_judge(viewer) || !judgement.unseen
}

/// Cuts a judgement to what its author may see: the staff's texts go.
pub(super) fn cut_judgement(viewer: Option<&Actor>, judgement: &mut Judgement) {
    if !may_see_tests(viewer) {
        judgement.judge_message = None;
        judgement.receipt = judgement.receipt.as_deref().and_then(receipt_for_author);
        // The root is the submission's own score, which is its author's business anyway.
        if let Some(groups) = judgement.groups.as_mut().filter(|_| !judgement.shows_groups) {
            let inner = groups.0.len().saturating_sub(1);
            groups.0.drain(..inner);
        }
    }
}

/// What of a receipt is its author's: what was handed in, what it was built with, and under which limits. The rest has the
/// answers' hashes, and a short answer can be guessed from its hash.
fn receipt_for_author(receipt: &str) -> Option<String> {
    let mut receipt: serde_json::Map<String, serde_json::Value> = serde_json::from_str(receipt).ok()?;
    receipt.retain(|key, _| matches!(key.as_str(), "source" | "language" | "tools" | "flags" | "limits" | "sandbox"));
    serde_json::to_string(&receipt).ok()
}

/// Cuts a line to what a contest lets contestants learn of failed secret tests. An accepted one has none.
pub(super) fn cut_row(viewer: Option<&Actor>, row: &mut SubmissionRow, rule: FailedTests) {
    if keeps_numbers(viewer, rule) || row.verdict == Some(Verdict::Accepted) {
        return;
    }
    row.failed_ordinal = None;
    row.tests_done = 0;
}

/// The same for a judgement and its runs: what is left is of samples.
pub(super) fn cut_failed_tests(
    viewer: Option<&Actor>,
    judgement: &mut Judgement,
    runs: &mut Vec<Run>,
    rule: FailedTests,
) -> ShownTests {
    if keeps_numbers(viewer, rule) || judgement.verdict == Some(Verdict::Accepted) {
        return ShownTests::All;
    }
    runs.retain(|run| run.sample);
    if !runs.iter().any(|run| Some(run.ordinal) == judgement.failed_ordinal) {
        judgement.failed_ordinal = None;
        // It speaks of the run that decided.
        judgement.message = None;
    }
    ShownTests::Samples
}

fn keeps_numbers(viewer: Option<&Actor>, rule: FailedTests) -> bool {
    rule != FailedTests::Nothing || is_judge(viewer) || may_see_tests(viewer)
}

/// Cuts a run to what its author may see: of a secret test not even the name, and nothing that quotes it.
pub(super) fn cut_run(viewer: Option<&Actor>, run: &mut Run) {
    if !run.sample && !may_see_tests(viewer) {
        run.output = None;
        run.judge_message = None;
        run.score = None;
        run.test_name.clear();
        run.test_group.clear();
    }
}

/// The team whose own row a viewer may see through a freeze.
pub(super) fn own_team(viewer: Option<&Actor>) -> Option<TeamId> {
    viewer.and_then(|viewer| viewer.team_id)
}

/// Cuts a thread to what a viewer may see: a question belongs to its team and the judges until it is answered to all, and
/// then it has no name. Tells whether anything is left.
pub(super) fn cut_thread(viewer: Option<&Actor>, thread: &mut Thread) -> bool {
    if is_judge(viewer) {
        return true;
    }
    let team = own_team(viewer);
    let own = thread.first.from_team.is_some() && thread.first.from_team == team;
    thread.answers.retain(|answer| answer.to_team.is_none() || answer.to_team == team);
    let announced = thread.first.from_team.is_none();
    if !own {
        thread.first.from_team = None;
        thread.first.from_name = None;
    }
    announced || own || !thread.answers.is_empty()
}
