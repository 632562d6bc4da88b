//! `/admin`: what wants a look now, and every problem with the state of its preparation. Must not know: how a package is prepared.

use askama::Template;
use axum::extract::State;
use axum::response::Html;

use super::desk::Desk;
use crate::domain::account::Role;
use crate::store::contest::{self, Contest, FailedTests};
use crate::store::package::PackageState;
use crate::store::problem::{self, ProblemOverview, ProblemState};
use crate::web::error::WebError;
use crate::web::extract::Visit;
use crate::web::i18n::{Lang, Message};
use crate::web::pages::Page;
use crate::web::state::AppState;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/admin/overview.html")]
struct OverviewPage {
    frame: Frame,
    problems: Vec<Line>,
    busy: bool,
    contests: Vec<ContestLine>,
    /// For judges and up.
    desk: Option<Desk>,
}

struct ContestLine {
    slug: String,
    name: String,
    practice: bool,
    rules: Vec<(FailedTests, Message, bool)>,
}

impl ContestLine {
    fn new(contest: Contest, lang: Lang) -> Self {
        let practice = contest.is_practice();
        let rules = [
            (FailedTests::Nothing, "failed-nothing"),
            (FailedTests::Number, "failed-number"),
            (FailedTests::CounterexampleAfterEnd, "failed-counterexample"),
        ];
        Self {
            practice,
            slug: contest.slug.to_string(),
            name: if practice { lang.text("contest-practice").into_owned() } else { contest.name },
            rules: rules.map(|(rule, key)| (rule, Message::new(key), rule == contest.failed_tests)).to_vec(),
        }
    }
}

struct Line {
    slug: String,
    title: String,
    state: Message,
    tone: &'static str,
    version: u64,
    package_state: Message,
    message: Option<String>,
    tests: u64,
}

impl Line {
    fn new(row: ProblemOverview, lang: Lang) -> Self {
        let (state, tone) = match row.state {
            ProblemState::Preparing => ("problem-preparing", "busy"),
            ProblemState::Published => ("problem-published", "good"),
            ProblemState::Withdrawn => ("problem-withdrawn", "none"),
            ProblemState::Refused => ("problem-refused", "bad"),
        };
        let package_state = match row.newest_state {
            PackageState::Queued => "package-queued",
            PackageState::Ready => "package-ready",
            PackageState::Refused => "package-refused",
        };
        Self {
            title: row.names.in_language(lang.code()).unwrap_or(row.slug.as_str()).to_owned(),
            slug: row.slug.to_string(),
            state: Message::new(state),
            tone,
            version: row.newest_version,
            package_state: Message::new(package_state),
            message: row.newest_message,
            tests: row.tests,
        }
    }
}

/// Shows the list.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    visit.at_least(Role::Setter)?;
    let rows = problem::overview(state.store().read()).await?;
    let busy = rows.iter().any(|row| row.newest_state == PackageState::Queued);
    let problems = rows.into_iter().map(|row| Line::new(row, visit.lang)).collect();
    let frame = visit.frame(&state, Section::Admin);
    let contests = if frame.is_judge() { contest::list(state.store().read()).await? } else { Vec::new() };
    let contests = contests.into_iter().map(|contest| ContestLine::new(contest, visit.lang)).collect();
    let desk = match visit.person.as_deref() {
        Some(actor) if frame.is_judge() => {
            let seen = state.service.dashboard(actor, visit.now).await.map_err(WebError::internal)?;
            let host = state.host.clone();
            let disk = tokio::task::spawn_blocking(move || host.disk()).await.map_err(WebError::internal)?;
            Some(Desk::new(seen, &state.host.workers, disk, visit.lang, visit.now))
        }
        _ => None,
    };
    let page = OverviewPage { frame, problems, busy, contests, desk };
    Ok(Html(page.render()?))
}
