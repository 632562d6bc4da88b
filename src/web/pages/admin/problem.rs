//! `/admin/problems/{slug}`: the way to all that can be done with a problem; the newest tests, in force or waiting for their
//! verification, with sizes, hashes and the wrong programs that each rejects; the ones that were proposed. Must not know:
//! what is in a test.

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Html;

use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::{ProposalId, TestCaseId, TestSetId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::domain::verification::{KillMatrix, VerificationReport};
use crate::service::Actor;
use crate::service::problem_settings::Checker;
use crate::store::package;
use crate::store::problem::{self, ProblemPage, ProblemState};
use crate::store::proposal::{self, Proposal, ProposalState};
use crate::store::rejudging;
use crate::store::test_case::{self, TestCase, TestOrigin};
use crate::store::waiting_tests;
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::pages::Page;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

/// How many proposals are listed, newest first.
const PROPOSALS: u32 = 50;

/// How many tests are listed on a page.
const TESTS: usize = 100;
/// How many wrong programs are named beside a test.
const NAMED: usize = 2;

#[derive(Template)]
#[template(path = "pages/admin/problem.html")]
#[expect(clippy::struct_excessive_bools, reason = "each shows or hides a part of the page by itself")]
struct TestsPage {
    frame: Frame,
    slug: String,
    title: String,
    version: u64,
    reason: Option<String>,
    /// Tests of all pages.
    count: usize,
    tests: Vec<TestLine>,
    /// Whether a verification has said which tests reject what.
    judged: bool,
    page: usize,
    pages: usize,
    proposals: Vec<ProposalLine>,
    /// Something will change soon.
    waiting: bool,
    /// The version that counts, while the one that is shown waits for its verification.
    counting: Option<u64>,
    /// Whether added tests must be answered first.
    unanswered: bool,
    candidates: u32,
    package_version: u64,
    withdrawn: bool,
    is_admin: bool,
    cpu_ms: u64,
    memory_mib: u64,
    /// The limit that the measured times ask for.
    proposed_ms: Option<u64>,
    checker: CheckerForm,
    /// Whether every language may be used.
    all_languages: bool,
    /// The host's languages: id, name, whether it may be used.
    languages: Vec<(String, String, bool)>,
}

/// Who compares outputs, as a form shows it.
#[derive(Default)]
struct CheckerForm {
    /// The package's own programs; empty: the default checker.
    own: Vec<String>,
    /// Whether tests have different flags.
    differs: bool,
    case_sensitive: bool,
    space_change_sensitive: bool,
    absolute: String,
    relative: String,
}

impl From<Checker> for CheckerForm {
    fn from(checker: Checker) -> Self {
        let written = |tolerance: Option<f64>| tolerance.map(|it| format!("{it:e}")).unwrap_or_default();
        match checker {
            Checker::Custom(own) => Self { own, ..Self::default() },
            Checker::Default(None) => Self { differs: true, ..Self::default() },
            Checker::Default(Some(flags)) => Self {
                case_sensitive: flags.case_sensitive,
                space_change_sensitive: flags.space_change_sensitive,
                absolute: written(flags.float_absolute_tolerance),
                relative: written(flags.float_relative_tolerance),
                ..Self::default()
            },
        }
    }
}

struct TestLine {
    id: TestCaseId,
    ordinal: u32,
    name: String,
    sample: bool,
    group: String,
    origin: Message,
    recipe: Option<String>,
    input_bytes: u64,
    input_sha256: Sha256,
    answer_bytes: u64,
    answer_sha256: Sha256,
    kills: Vec<String>,
    more_kills: usize,
    /// Whether it is no test of the version that counts.
    waits: bool,
}

struct ProposalLine {
    id: ProposalId,
    name: String,
    state: Message,
    tone: &'static str,
    input_bytes: u64,
    created: EpochMs,
}

/// Which page of the list is shown, from 1.
#[derive(Debug, Default, serde::Deserialize)]
pub struct Which {
    /// Its number.
    pub page: Option<usize>,
}

/// Which wrong programs each test rejected when the tests were last verified.
pub(super) struct Kills(KillMatrix);

impl Kills {
    /// The programs that the test of this name rejects.
    pub(super) fn of(&self, name: &str) -> Vec<String> {
        let Some(at) = self.0.tests.iter().position(|test| test == name) else { return Vec::new() };
        let rejected = |verdict: Option<Verdict>| {
            verdict.is_some_and(|verdict| !matches!(verdict, Verdict::Accepted | Verdict::JudgingError))
        };
        let programs = self.0.programs.iter();
        let programs = programs.filter(|program| rejected(program.verdicts.get(at).copied().flatten()));
        programs.map(|program| program.name.clone()).collect()
    }
}

/// Which wrong programs the tests reject, if that is known.
pub(super) async fn kills_of(state: &AppState, actor: &Actor, slug: &str) -> Result<Option<Kills>, WebError> {
    Ok(report_of(state, actor, slug).await?.map(|report| Kills(report.verification.kill_matrix)))
}

async fn report_of(state: &AppState, actor: &Actor, slug: &str) -> Result<Option<VerificationReport>, WebError> {
    match state.service.last_report(actor, slug).await {
        Ok(report) => Ok(report),
        Err(error) => Err(super::refusals::page(super::refusals::of_problem(error)?)),
    }
}

/// Where a test comes from, in a word.
pub(super) const fn origin_words(origin: TestOrigin) -> Message {
    Message::new(match origin {
        TestOrigin::File => "origin-file",
        TestOrigin::Generated => "origin-generated",
        TestOrigin::Added => "origin-added",
    })
}

impl TestLine {
    fn new(test: TestCase, kills: Option<&Kills>, waits: bool) -> Self {
        let mut killed = kills.map(|kills| kills.of(&test.name)).unwrap_or_default();
        let more_kills = killed.len().saturating_sub(NAMED);
        killed.truncate(NAMED);
        Self {
            id: test.id,
            ordinal: test.ordinal,
            name: test.name,
            sample: test.sample,
            group: test.group,
            origin: origin_words(test.origin),
            recipe: test.recipe,
            input_bytes: test.input_bytes,
            input_sha256: test.input_sha256,
            answer_bytes: test.answer_bytes,
            answer_sha256: test.answer_sha256,
            kills: killed,
            more_kills,
            waits,
        }
    }
}

impl From<Proposal> for ProposalLine {
    fn from(proposal: Proposal) -> Self {
        let (state, tone) = state_words(proposal.state, proposal.waits);
        Self {
            id: proposal.id,
            name: proposal.name,
            state,
            tone,
            input_bytes: proposal.input_bytes,
            created: proposal.created,
        }
    }
}

/// A proposal's state and the tone of its badge; `waits` tells of one that was accepted whether it counts yet.
pub(super) const fn state_words(state: ProposalState, waits: bool) -> (Message, &'static str) {
    match state {
        ProposalState::Accepted if waits => (Message::new("tests-wait"), "busy"),
        ProposalState::Queued => (Message::new("proposal-queued"), "busy"),
        ProposalState::Accepted => (Message::new("proposal-accepted"), "good"),
        ProposalState::Refused => (Message::new("proposal-refused"), "bad"),
    }
}

/// The problem with this slug, if a version of it is ready; else a sentence that leads back to the list.
pub(super) async fn find(state: &AppState, visit: &Visit, slug: &str) -> Result<(ProblemPage, String), WebError> {
    let Some(found) = problem::page(state.store().read(), slug).await? else {
        let known = problem::by_slug(state.store().read(), slug).await?.is_some();
        let what = if known {
            Message::new("test-not-ready")
        } else {
            Message::new("error-no-problem").with("slug", slug.chars().take(80).collect::<String>())
        };
        return Err(WebError::not_found(what, Next::admin()));
    };
    let title = found.names.in_language(visit.lang.code()).unwrap_or(slug).to_owned();
    Ok((found, title))
}

/// Shows the tests.
pub async fn show(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
    Query(which): Query<Which>,
) -> Result<Page, WebError> {
    let actor = visit.at_least(Role::Setter)?;
    let (found, title) = find(&state, &visit, &slug).await?;
    let read = state.store().read();
    let top = waiting_tests::top(read, found.id).await?.unwrap_or(found.test_set_id);
    let sets = test_case::sets(read, found.id).await?;
    let set = |id: TestSetId| sets.iter().find(|set| set.id == id);
    let in_force = test_case::list(read, found.test_set_id).await?;
    let is_in_force = |test: &TestCase| {
        in_force.iter().any(|one| one.input_sha256 == test.input_sha256 && one.answer_sha256 == test.answer_sha256)
    };
    let tests = test_case::list(read, top).await?;
    let report = report_of(&state, actor, &slug).await?;
    let proposed_ms = report.as_ref().and_then(|report| report.verification.proposed_limit_ms);
    let kills = report.map(|report| Kills(report.verification.kill_matrix));
    let settings = match state.service.problem_settings(actor, &slug).await {
        Ok(settings) => settings,
        Err(error) => return Err(super::refusals::page(super::refusals::of_problem(error)?)),
    };
    let allowed = settings.languages;
    let may = |id: &str| allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|one| one == id));
    let languages = state.languages.iter().map(|it| (it.id.to_string(), it.name.clone(), may(it.id.as_str())));
    let (count, pages) = (tests.len(), tests.len().div_ceil(TESTS).max(1));
    let number = which.page.unwrap_or(1).clamp(1, pages);
    let here = tests.into_iter().skip((number - 1) * TESTS).take(TESTS);
    let proposals = proposal::list(read, found.id, PROPOSALS).await?;
    let unanswered = proposals.iter().any(|proposal| proposal.state == ProposalState::Queued);
    let page = TestsPage {
        title,
        version: set(top).map_or(0, |set| set.version),
        reason: set(top).map(|set| set.reason.clone()),
        count,
        tests: here
            .map(|test| {
                let waits = !is_in_force(&test);
                TestLine::new(test, kills.as_ref(), waits)
            })
            .collect(),
        judged: kills.is_some(),
        page: number,
        pages,
        waiting: unanswered || top != found.test_set_id,
        counting: set(found.test_set_id).filter(|_| top != found.test_set_id).map(|set| set.version),
        unanswered,
        proposals: proposals.into_iter().map(ProposalLine::from).collect(),
        candidates: rejudging::outdated(read, found.id).await?,
        package_version: package::version(read, found.package_id).await?,
        withdrawn: found.state == ProblemState::Withdrawn,
        is_admin: actor.is_at_least(Role::Admin),
        cpu_ms: found.limits.cpu_ms,
        memory_mib: found.limits.memory_bytes >> 20,
        proposed_ms,
        checker: settings.checker.into(),
        languages: languages.collect(),
        all_languages: allowed.is_none(),
        slug,
        frame: visit.frame(&state, Section::Admin),
    };
    Ok(Html(page.render()?))
}
