//! A verdict, or what stands in for it while there is none: always a word, a shape and a colour. Must not know: pages.

use std::fmt;

use askama::Template;

use crate::domain::verdict::Verdict;
use crate::store::judgement::JudgementState;
use crate::web::i18n::{Lang, Message};

/// What can be shown for a submission, a judgement or a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It is decided.
    Decided(Verdict),
    /// It waits for a worker.
    Pending,
    /// A worker has it; how much is done, percent.
    Running(u8),
    /// It is decided, but the board is frozen.
    Frozen,
}

impl Mark {
    /// The mark of a judgement in this state.
    pub fn of(state: JudgementState, verdict: Option<Verdict>, done: u32, total: u32) -> Self {
        match (state, verdict) {
            (_, Some(verdict)) => Self::Decided(verdict),
            (JudgementState::Queued, None) => Self::Pending,
            (JudgementState::Running | JudgementState::Done, None) => Self::running(done, total),
        }
    }

    /// A running mark after `done` of `total` tests.
    pub fn running(done: u32, total: u32) -> Self {
        let share = (done * 100).checked_div(total).unwrap_or(0).min(100);
        Self::Running(u8::try_from(share).unwrap_or(100))
    }

    /// Whether it is AC.
    pub const fn is_accepted(self) -> bool {
        matches!(self, Self::Decided(Verdict::Accepted))
    }

    /// The word that stylesheet and scripts know it by.
    pub const fn state(self) -> &'static str {
        match self {
            Self::Decided(verdict) => verdict.code(),
            Self::Pending => "pending",
            Self::Running(_) => "running",
            Self::Frozen => "frozen",
        }
    }

    /// Its name.
    pub const fn name(self) -> Message {
        match self {
            Self::Decided(verdict) => verdict_name(verdict),
            Self::Pending => Message::new("mark-pending"),
            Self::Running(_) => Message::new("mark-running"),
            Self::Frozen => Message::new("mark-frozen"),
        }
    }
}

/// A verdict's full name.
pub const fn verdict_name(verdict: Verdict) -> Message {
    Message::new(match verdict {
        Verdict::Accepted => "verdict-ac",
        Verdict::WrongAnswer => "verdict-wa",
        Verdict::TimeLimit => "verdict-tle",
        Verdict::MemoryLimit => "verdict-mle",
        Verdict::OutputLimit => "verdict-ole",
        Verdict::RunTimeError => "verdict-rte",
        Verdict::CompileError => "verdict-ce",
        Verdict::JudgingError => "verdict-je",
    })
}

/// How much of a mark is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Shape and full name.
    Full,
    /// Shape and code.
    Short,
    /// Shape; the name is for screen readers.
    Icon,
}

/// A mark as markup.
#[derive(Template)]
#[template(path = "partials/mark.html")]
pub struct MarkView {
    mark: Mark,
    style: Style,
    name: String,
}

impl askama::filters::HtmlSafe for MarkView {}

impl MarkView {
    /// The mark in the reader's language.
    pub fn new(mark: Mark, style: Style, lang: Lang) -> Self {
        Self { mark, style, name: lang.say(&mark.name()) }
    }

    /// With another text than the mark's name, e.g. "Wrong answer on test 7".
    pub fn with_name(mark: Mark, style: Style, name: String) -> Self {
        Self { mark, style, name }
    }

    const fn state(&self) -> &'static str {
        self.mark.state()
    }

    const fn code(&self) -> Option<&'static str> {
        match self.mark {
            Mark::Decided(verdict) => Some(verdict.code()),
            _ => None,
        }
    }

    const fn icon(&self) -> Icon {
        Icon(self.mark)
    }
}

/// The shape alone, for cells that carry their own words.
pub struct Icon(pub Mark);

impl askama::filters::HtmlSafe for Icon {}

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            Mark::Decided(Verdict::Accepted) => "ac",
            Mark::Decided(Verdict::WrongAnswer) => "wa",
            Mark::Decided(Verdict::TimeLimit) => "tle",
            Mark::Decided(Verdict::MemoryLimit) => "mle",
            Mark::Decided(Verdict::OutputLimit) => "ole",
            Mark::Decided(Verdict::RunTimeError) => "rte",
            Mark::Decided(Verdict::CompileError) => "ce",
            Mark::Decided(Verdict::JudgingError) => "je",
            Mark::Pending => "pending",
            Mark::Frozen => "frozen",
            // The ring fills with the share of tests done, so it can't come from the sprite.
            Mark::Running(percent) => {
                return write!(
                    f,
                    "<svg class=\"icon\" viewBox=\"0 0 16 16\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" \
                     aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"5.6\" opacity=\".3\"/><circle cx=\"8\" cy=\"8\" \
                     r=\"5.6\" pathLength=\"100\" stroke-dasharray=\"{percent} 100\" transform=\"rotate(-90 8 8)\"/></svg>"
                );
            }
        };
        write!(f, "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#i-{name}\"/></svg>")
    }
}
