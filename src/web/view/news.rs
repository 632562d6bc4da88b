//! The banner of unread answers and announcements, and for judges of unanswered questions. Must not know: who may read
//! which.

use askama::Template;

use crate::service::clarifications::News;
use crate::web::i18n::{Lang, Message};

/// The banner; empty when there is nothing to say.
#[derive(Template)]
#[template(path = "partials/news.html")]
pub struct NewsView {
    unread: Option<String>,
    unanswered: Option<String>,
    open: String,
}

impl NewsView {
    /// The banner in a language.
    pub fn new(news: News, lang: Lang) -> Self {
        let say = |key, count: u32| (count > 0).then(|| lang.say(&Message::new(key).with("count", count)));
        Self {
            unread: say("news-unread", news.unread),
            unanswered: say("news-unanswered", news.unanswered),
            open: lang.text("news-open").into_owned(),
        }
    }

    /// Whether there is nothing to say.
    pub const fn is_empty(&self) -> bool {
        self.unread.is_none() && self.unanswered.is_none()
    }
}
