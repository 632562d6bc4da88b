//! A contest's settings as a form: what it shows, and what comes back. Must not know: how they are kept.

use crate::domain::contest::{parse_span, span_text};
use crate::domain::time::EpochMs;
use crate::service::contests::{ContestError, NotNow};
use crate::store::Texts;
use crate::store::contest::{Access, FailedTests, PointsFrom, Scoring};
use crate::store::contest_setting::Settings;
use crate::web::error::WebError;
use crate::web::extract::Fields;
use crate::web::i18n::Message;
use crate::web::state::OfferedLanguage;

/// The ways to score, as the form names them.
const SCORINGS: [(&str, Scoring, PointsFrom); 3] = [
    ("pass-fail", Scoring::PassFail, PointsFrom::Submissions),
    ("score", Scoring::Score, PointsFrom::Submissions),
    ("score-groups", Scoring::Score, PointsFrom::Groups),
];

/// The fields as they are shown.
pub(super) struct SettingsForm {
    pub name: String,
    /// As `datetime-local` writes it, UTC.
    pub start: String,
    pub duration: String,
    pub freeze: String,
    pub penalty: String,
    /// One of [`SCORINGS`]'s words.
    pub scoring: &'static str,
    pub failed_tests: FailedTests,
    pub access: Access,
    pub practice_after: bool,
    pub equal_toolchains: bool,
    /// Id, name, whether it is allowed.
    pub languages: Vec<(String, String, bool)>,
}

impl SettingsForm {
    /// The settings as they are.
    pub fn new(settings: &Settings, languages: &[OfferedLanguage]) -> Self {
        let allowed = |language: &OfferedLanguage| {
            settings.languages.as_ref().is_none_or(|all| all.0.iter().any(|id| id == language.id.as_str()))
        };
        Self {
            name: settings.name.clone(),
            start: local(settings.start),
            duration: settings.duration_ms.map(span_text).unwrap_or_default(),
            freeze: settings.freeze_ms.map(span_text).unwrap_or_default(),
            penalty: settings.penalty_minutes.to_string(),
            scoring: scoring_word(settings),
            failed_tests: settings.failed_tests,
            access: settings.access,
            practice_after: settings.practice_after,
            equal_toolchains: settings.equal_toolchains,
            languages: languages
                .iter()
                .map(|language| (language.id.to_string(), language.name.clone(), allowed(language)))
                .collect(),
        }
    }

    /// What was typed, to be mended.
    pub fn typed(fields: &Fields, languages: &[OfferedLanguage]) -> Self {
        let text = |name: &str| fields.get(name).to_owned();
        let scoring = SCORINGS.iter().map(|one| one.0).find(|word| *word == fields.get("scoring"));
        let ticked = |language: &OfferedLanguage| fields.ticked(&format!("language-{}", language.id));
        Self {
            name: text("name"),
            start: text("start"),
            duration: text("duration"),
            freeze: text("freeze"),
            penalty: text("penalty"),
            scoring: scoring.unwrap_or("pass-fail"),
            failed_tests: fields.get("failed_tests").parse().unwrap_or(FailedTests::Nothing),
            access: fields.get("access").parse().unwrap_or(Access::Open),
            practice_after: fields.ticked("practice_after"),
            equal_toolchains: fields.ticked("equal_toolchains"),
            languages: languages
                .iter()
                .map(|language| (language.id.to_string(), language.name.clone(), ticked(language)))
                .collect(),
        }
    }

    /// Which of a choice's words is chosen.
    pub fn is(&self, word: &str) -> bool {
        [self.scoring, self.failed_tests.as_str(), self.access.as_str()].contains(&word)
    }
}

fn scoring_word(settings: &Settings) -> &'static str {
    let fits = |one: &&(_, Scoring, PointsFrom)| {
        one.1 == settings.scoring && (one.1 == Scoring::PassFail || one.2 == settings.points_from)
    };
    SCORINGS.iter().find(fits).map_or("pass-fail", |one| one.0)
}

/// What came back, or what is wrong with it.
pub(super) fn read(fields: &Fields, languages: &[OfferedLanguage]) -> Result<Settings, Message> {
    let unreadable = || Message::new("error-form");
    let scoring = SCORINGS.iter().find(|one| one.0 == fields.get("scoring")).ok_or_else(unreadable)?;
    let span = |name: &str| match fields.trimmed(name) {
        "" => Ok(None),
        text => parse_span(text).map(Some).map_err(|bad| Message::new("contest-bad-span").with("text", bad.0)),
    };
    let penalty = fields.trimmed("penalty").parse::<u16>();
    let ticked: Vec<String> = languages
        .iter()
        .map(|language| language.id.to_string())
        .filter(|id| fields.ticked(&format!("language-{id}")))
        .collect();
    let all = ticked.len() == languages.len() || ticked.is_empty();
    Ok(Settings {
        name: fields.trimmed("name").to_owned(),
        start: moment(fields.trimmed("start"))?,
        duration_ms: Some(span("duration")?.filter(|ms| *ms > 0).ok_or_else(|| Message::new("contest-no-duration"))?),
        freeze_ms: span("freeze")?,
        penalty_minutes: i64::from(penalty.map_err(|_| Message::new("contest-bad-penalty"))?),
        scoring: scoring.1,
        points_from: scoring.2,
        failed_tests: fields.get("failed_tests").parse().map_err(|_| unreadable())?,
        access: fields.get("access").parse().map_err(|_| unreadable())?,
        languages: (!all).then_some(Texts(ticked)),
        practice_after: fields.ticked("practice_after"),
        equal_toolchains: fields.ticked("equal_toolchains"),
    })
}

/// `2026-03-01T12:00`, UTC.
pub(super) fn moment(text: &str) -> Result<EpochMs, Message> {
    let bad = || Message::new("contest-bad-start");
    let civil: jiff::civil::DateTime = text.parse().map_err(|_| bad())?;
    let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| bad())?;
    Ok(EpochMs(zoned.timestamp().as_millisecond()))
}

/// The moment as `datetime-local` writes it.
pub(super) fn local(at: EpochMs) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.0);
    moment.map(|moment| moment.strftime("%Y-%m-%dT%H:%M:%S").to_string()).unwrap_or_default()
}

/// Why a contest was not changed, for the form; our own faults go on as errors.
pub(super) fn refusal(error: ContestError) -> Result<Message, WebError> {
    Ok(match error {
        ContestError::Forbidden(error) => return Err(error.into()),
        error @ ContestError::Store(_) => return Err(WebError::internal(error)),
        ContestError::NoSuchContest(slug) => Message::new("error-no-contest").with("slug", slug),
        ContestError::Taken(slug) => Message::new("contest-taken").with("slug", slug),
        ContestError::ChangedMeanwhile => Message::new("contest-changed"),
        ContestError::BadName => Message::new("contest-bad-name"),
        ContestError::FreezeTooLong => Message::new("contest-freeze-long"),
        ContestError::NoSuchProblem(slug) => Message::new("error-no-problem").with("slug", slug),
        ContestError::BadLabel(label) => Message::new("contest-bad-label").with("label", label),
        ContestError::BadColour(colour) => Message::new("contest-bad-colour").with("colour", colour),
        ContestError::Tried(slug) => Message::new("contest-tried").with("slug", slug),
        ContestError::NoSuchTeam(name) => Message::new("contest-no-team").with("name", name),
        ContestError::Practice => Message::new("contest-is-practice"),
        ContestError::NotNow(why) => not_now(why),
    })
}

fn not_now(why: NotNow) -> Message {
    Message::new(match why {
        NotNow::Begun => "step-begun",
        NotNow::NotBegun => "step-not-begun",
        NotNow::Over => "step-over",
        NotNow::NotOver => "step-not-over",
        NotNow::Paused => "step-paused",
        NotNow::NotPaused => "step-not-paused",
        NotNow::Endless => "contest-is-practice",
        NotNow::Finalized => "step-finalized",
        NotNow::NotFrozen => "step-not-frozen",
        NotNow::Undecided(open) => {
            return Message::new("step-undecided")
                .with("unjudged", open.unjudged)
                .with("errors", open.judging_errors)
                .with("unanswered", open.unanswered);
        }
    })
}
