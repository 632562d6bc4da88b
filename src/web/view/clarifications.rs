//! Questions and answers as a list. Sent again whenever it changes. Must not know: who may see what.

use askama::Template;

use crate::domain::ids::{ClarificationId, TeamId};
use crate::domain::time::EpochMs;
use crate::service::clarifications::Thread;
use crate::store::canned_answer::CannedAnswer;
use crate::web::i18n::Lang;
use crate::web::view::frame::Frame;

/// The list.
#[derive(Template)]
#[template(path = "partials/clarifications-live.html")]
pub struct ThreadsView {
    frame: Frame,
    threads: Vec<ThreadView>,
    staff: bool,
    /// What judges answer often.
    canned: Vec<CannedAnswer>,
}

impl ThreadsView {
    /// The threads, with forms to answer for the staff.
    pub const fn new(frame: Frame, threads: Vec<ThreadView>, staff: bool, canned: Vec<CannedAnswer>) -> Self {
        Self { frame, threads, staff, canned }
    }

    /// The newest message in it; 0 when there is none.
    pub fn newest(&self) -> ClarificationId {
        ClarificationId(self.threads.iter().map(|thread| thread.newest).max().unwrap_or(0))
    }
}

/// A thread.
pub struct ThreadView {
    id: ClarificationId,
    about: Option<String>,
    announced: bool,
    own: bool,
    from: Option<String>,
    text: String,
    created: EpochMs,
    answers: Vec<AnswerView>,
    newest: i64,
}

struct AnswerView {
    text: String,
    to_all: bool,
    created: EpochMs,
}

impl ThreadView {
    /// The thread as this team sees it.
    pub fn new(thread: Thread, team: Option<TeamId>, lang: Lang) -> Self {
        let first = thread.first;
        let newest = thread.answers.last().map_or(first.id.0, |answer| answer.id.0);
        // A question that was answered to all has lost its sender; what nobody asked and nobody answered is announced.
        let asked = first.from_team.is_some() || !thread.answers.is_empty();
        Self {
            id: first.id,
            about: first.problem_names.and_then(|names| names.in_language(lang.code()).map(str::to_owned)),
            announced: !asked,
            own: first.from_team.is_some() && first.from_team == team,
            from: first.from_name,
            text: first.text,
            created: first.created,
            answers: thread
                .answers
                .into_iter()
                .map(|answer| AnswerView {
                    to_all: answer.to_team.is_none(),
                    text: answer.text,
                    created: answer.created,
                })
                .collect(),
            newest,
        }
    }
}
