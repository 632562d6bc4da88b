//! `/contests`: all contests, the latest first. Must not know: how they are set.

use askama::Template;
use axum::extract::State;
use axum::response::Html;

use super::Page;
use crate::domain::contest::span_text;
use crate::store::contest::{self, Access, Contest};
use crate::web::error::WebError;
use crate::web::extract::Visit;
use crate::web::extract::visit::base_of;
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::format::Moment;
use crate::web::view::frame::{Frame, Section};

#[derive(Template)]
#[template(path = "pages/contests.html")]
struct ContestsPage {
    frame: Frame,
    contests: Vec<Line>,
}

struct Line {
    href: String,
    name: String,
    state: String,
    /// Of contests that have a time.
    start: Option<Moment>,
    duration: String,
    access: Message,
}

impl Line {
    fn new(state: &AppState, visit: &Visit, contest: &Contest) -> Self {
        let line = state.contest_line(contest, visit.lang, visit.now);
        let base = base_of(contest);
        Self {
            href: if base.is_empty() { "/".to_owned() } else { base },
            name: line.as_ref().map(|line| line.name.clone()).unwrap_or_default(),
            state: line.map(|line| line.state).unwrap_or_default(),
            start: contest.duration_ms.map(|_| Moment::exact(contest.start)),
            duration: contest.duration_ms.map(span_text).unwrap_or_default(),
            access: Message::new(match contest.access {
                Access::Open => "access-open",
                Access::Invitation => "access-invitation",
            }),
        }
    }
}

/// Shows the list.
pub async fn show(State(state): State<AppState>, visit: Visit) -> Result<Page, WebError> {
    let contests = contest::list(state.store().read()).await?;
    let page = ContestsPage {
        frame: visit.frame(&state, Section::None),
        contests: contests.iter().map(|contest| Line::new(&state, &visit, contest)).collect(),
    };
    Ok(Html(page.render()?))
}
