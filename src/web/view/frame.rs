//! What every page has around it: language, theme, navigation, contest, person; and the short names by which templates
//! reach texts, assets, marks and times. Must not know: single pages.

use std::borrow::Cow;
use std::fmt;

use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::service::Actor;
use crate::web::assets;
use crate::web::extract::Visit;
use crate::web::i18n::{Arg, Lang, Message};
use crate::web::view::format::{self, Moment};
use crate::web::view::mark::{Mark, MarkView, Style};
use crate::web::view::news::NewsView;

/// Light or dark, if the visitor chose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// As in the cookie and on the `html` element.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme with this code; anything else follows the system.
    pub fn from_code(code: &str) -> Option<Self> {
        [Self::Light, Self::Dark].into_iter().find(|theme| theme.code() == code)
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Which link of the navigation a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Problem list, statements, the submit form.
    Problems,
    /// Submissions.
    Submissions,
    /// The board.
    Scoreboard,
    /// Questions and announcements.
    Clarifications,
    /// One's account.
    Account,
    /// Admin pages.
    Admin,
    /// None of them.
    None,
}

impl Section {
    const fn code(self) -> &'static str {
        match self {
            Self::Problems => "problems",
            Self::Submissions => "submissions",
            Self::Scoreboard => "scoreboard",
            Self::Clarifications => "clarifications",
            Self::Account => "account",
            Self::Admin => "admin",
            Self::None => "",
        }
    }
}

/// The contest in the head: its name, how long it goes on, and a bar of the time gone.
#[derive(Debug, Clone)]
pub struct ContestLine {
    /// Its name.
    pub name: String,
    /// "always open", "2:05:09 left".
    pub state: String,
    /// For a page's script, where time is counted down.
    pub countdown: Option<Countdown>,
    /// For contests with an end.
    pub bar: Option<ContestBar>,
}

/// What a script needs to go on counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Countdown {
    /// The server's time, milliseconds: the visitor's clock may be wrong.
    pub now_ms: i64,
    /// When the next phase begins, milliseconds.
    pub until_ms: i64,
    /// The sentence with `%` for the time that is left.
    pub sentence: String,
}

/// Per cent of the contest's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContestBar {
    /// Gone.
    pub passed: i64,
    /// Where the freeze begins.
    pub freeze: Option<i64>,
}

/// What every page has around it.
#[derive(Debug, Clone)]
pub struct Frame {
    visit: Visit,
    section: Section,
    contest: Option<ContestLine>,
}

/// A role's name.
pub const fn role_name(role: Role) -> Message {
    Message::new(match role {
        Role::Contestant => "role-contestant",
        Role::Setter => "role-setter",
        Role::Judge => "role-judge",
        Role::Admin => "role-admin",
    })
}

/// The hidden fields that every form carries.
pub struct FormFields<'a> {
    csrf: &'a str,
    back: &'a str,
}

impl askama::filters::HtmlSafe for FormFields<'_> {}

impl fmt::Display for FormFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let back = self.back.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        write!(f, "<input type=\"hidden\" name=\"csrf\" value=\"{}\">", self.csrf)?;
        write!(f, "<input type=\"hidden\" name=\"back\" value=\"{back}\">")
    }
}

impl Frame {
    /// The frame for a visitor.
    pub const fn new(visit: Visit, section: Section, contest: Option<ContestLine>) -> Self {
        Self { visit, section, contest }
    }

    /// The page's language.
    pub const fn lang(&self) -> Lang {
        self.visit.lang
    }

    /// A text.
    pub fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.visit.lang.text(key)
    }

    /// A text with one thing in it.
    pub fn t1(&self, key: &'static str, name: &'static str, arg: impl Into<Arg>) -> String {
        self.say(&Message::new(key).with(name, arg))
    }

    /// A text with two things in it.
    pub fn t2(
        &self,
        key: &'static str,
        name: &'static str,
        arg: impl Into<Arg>,
        other_name: &'static str,
        other: impl Into<Arg>,
    ) -> String {
        self.say(&Message::new(key).with(name, arg).with(other_name, other))
    }

    /// A sentence.
    pub fn say(&self, message: &Message) -> String {
        self.visit.lang.say(message)
    }

    /// The address of a static file.
    pub fn asset(&self, path: &str) -> String {
        assets::address(path)
    }

    /// The chosen theme.
    pub const fn theme(&self) -> Option<Theme> {
        self.visit.theme
    }

    /// Whether this choice of theme is the current one.
    pub fn theme_is(&self, code: &str) -> bool {
        self.visit.theme.map_or("auto", Theme::code) == code
    }

    /// Who is logged in.
    pub fn person(&self) -> Option<&Actor> {
        self.visit.person.as_deref()
    }

    /// A role's name.
    pub fn role(&self, role: &Role) -> String {
        self.say(&role_name(*role))
    }

    /// Whether the admin pages are for this visitor.
    pub fn is_staff(&self) -> bool {
        self.person().is_some_and(|person| person.role >= Role::Setter)
    }

    /// Whether people, registration and the log are for this visitor.
    pub fn is_admin(&self) -> bool {
        self.person().is_some_and(|person| person.role >= Role::Admin)
    }

    /// The attribute that marks a link of the staff's navigation whose pages this one is among.
    pub fn part(&self, address: &str) -> CurrentAttribute {
        let path = self.visit.address.split('?').next().unwrap_or_default();
        let below = path.strip_prefix(address).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        CurrentAttribute(if address == "/admin" {
            path == address || path.starts_with("/admin/problems")
        } else {
            below
        })
    }

    /// Whether this visitor sees every submission and may rejudge.
    pub fn is_judge(&self) -> bool {
        self.person().is_some_and(|person| person.role >= Role::Judge)
    }

    /// The contest in the head.
    pub const fn contest(&self) -> Option<&ContestLine> {
        self.contest.as_ref()
    }

    /// What there is to read or to answer, on pages that don't show it anyway.
    pub fn news(&self) -> Option<NewsView> {
        let shown = matches!(self.section, Section::Clarifications);
        Some(NewsView::new(self.visit.news, self.visit.lang)).filter(|news| !shown && !news.is_empty())
    }

    /// Whether the page has a place for news that come while it is open.
    pub const fn takes_news(&self) -> bool {
        !matches!(self.section, Section::Clarifications)
    }

    /// The attribute that marks the navigation's current link.
    pub fn current(&self, section: &str) -> CurrentAttribute {
        CurrentAttribute(self.section.code() == section)
    }

    /// The CSRF token and the way back.
    pub fn form_fields(&self) -> FormFields<'_> {
        FormFields { csrf: &self.visit.csrf, back: &self.visit.address }
    }

    /// The server's time, for the foot.
    pub fn clock_time(&self) -> Moment {
        Moment::exact(self.visit.now)
    }

    /// When something was, to the second.
    pub fn exactly(&self, at: &EpochMs) -> Moment {
        Moment::exact(*at)
    }

    /// When something was, as seen now.
    pub fn ago(&self, at: &EpochMs) -> Moment {
        Moment::relative(*at, self.visit.now, self.visit.lang)
    }

    /// A mark's name alone.
    pub fn mark_name(&self, mark: &Mark) -> String {
        self.say(&mark.name())
    }

    /// A mark with its full name.
    pub fn mark(&self, mark: &Mark) -> MarkView {
        MarkView::new(*mark, Style::Full, self.visit.lang)
    }

    /// A mark with its code.
    pub fn mark_short(&self, mark: &Mark) -> MarkView {
        MarkView::new(*mark, Style::Short, self.visit.lang)
    }

    /// A mark as a shape.
    pub fn mark_icon(&self, mark: &Mark) -> MarkView {
        MarkView::new(*mark, Style::Icon, self.visit.lang)
    }

    /// A size.
    pub fn bytes(&self, count: &u64) -> String {
        format::bytes(*count)
    }

    /// A measured time.
    pub fn seconds(&self, ms: &u64) -> String {
        format::seconds(*ms)
    }

    /// A time limit.
    pub fn limit_seconds(&self, ms: &u64) -> String {
        format::limit_seconds(*ms)
    }
}

/// ` aria-current="page"` or nothing.
pub struct CurrentAttribute(bool);

impl askama::filters::HtmlSafe for CurrentAttribute {}

impl fmt::Display for CurrentAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 { f.write_str(" aria-current=\"page\"") } else { Ok(()) }
    }
}
