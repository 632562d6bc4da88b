//! Making and changing contests: settings, problems, teams. What moves a contest's clock is in `contest_steps`.

use super::{Actor, Forbidden, Service, record, require, require_or_terminal};
use crate::domain::account::Role;
use crate::domain::ids::{ContestId, TeamId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::store::contest::{self, Access, Contest, FailedTests, PointsFrom, Scoring};
use crate::store::contest_setting::{self, Open, Place, Settings};
use crate::store::{StoreError, WriteTx, contest_team, problem};

/// The longest name, characters.
const MAX_NAME: usize = 100;
/// A day, milliseconds.
const DAY_MS: i64 = 86_400_000;
/// ICPC's five hours, milliseconds.
const USUAL_DURATION_MS: i64 = 5 * 3_600_000;
/// The longest letter of a problem, characters.
const MAX_LABEL: usize = 4;

/// Why a contest was not changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// No such contest.
    #[error("there is no contest `{0}`")]
    NoSuchContest(String),
    /// The short name is taken.
    #[error("there is a contest `{0}` already")]
    Taken(String),
    /// Somebody else changed it since it was read.
    #[error("somebody else changed the contest meanwhile; look at it again and repeat what you meant")]
    ChangedMeanwhile,
    /// A name of 1 to 100 characters is wanted.
    #[error("a contest's name has 1 to {MAX_NAME} characters")]
    BadName,
    /// The freeze can't be longer than the contest.
    #[error("the freeze is longer than the contest")]
    FreezeTooLong,
    /// No such problem, or it isn't ready.
    #[error("there is no problem `{0}`")]
    NoSuchProblem(String),
    /// A letter is empty, too long, or given twice.
    #[error("`{0}` can't be a problem's letter: letters have 1 to {MAX_LABEL} letters or digits, each once")]
    BadLabel(String),
    /// No colour.
    #[error("`{0}` is no colour; write it as #rrggbb")]
    BadColour(String),
    /// A problem that was tried stays.
    #[error("the problem `{0}` has submissions in this contest and stays in it")]
    Tried(String),
    /// No such team.
    #[error("there is no team `{0}`")]
    NoSuchTeam(String),
    /// The contest that is always open has no clock and no list of teams.
    #[error("the practice contest is always open")]
    Practice,
    /// Not in this state.
    #[error("{0}")]
    NotNow(#[from] NotNow),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a step isn't possible in a contest's state. The sentences are for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotNow {
    /// It has begun.
    #[error("the contest has begun already")]
    Begun,
    /// It hasn't begun.
    #[error("the contest has not begun")]
    NotBegun,
    /// It is over.
    #[error("the contest is over")]
    Over,
    /// It isn't over.
    #[error("the contest is not over")]
    NotOver,
    /// Its clock stands still.
    #[error("the contest is paused; resume it first")]
    Paused,
    /// Its clock runs.
    #[error("the contest is not paused")]
    NotPaused,
    /// It never ends.
    #[error("the contest has no end")]
    Endless,
    /// Its result is final.
    #[error("the contest's result is final")]
    Finalized,
    /// The board is open.
    #[error("the board is not frozen")]
    NotFrozen,
    /// Something is undecided.
    #[error(
        "{} submissions have no verdict, {} have a judging error, {} questions have no answer",
        .0.unjudged, .0.judging_errors, .0.unanswered
    )]
    Undecided(Open),
}

/// A problem as it shall stand in a contest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedProblem {
    /// Its slug.
    pub slug: String,
    /// Its letter.
    pub label: String,
    /// `#rrggbb`; empty: the usual colour of its place.
    pub rgb: String,
}

/// A contest to be changed, as its editor saw it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Its slug.
    pub slug: &'a str,
    /// The version that was looked at; `None`: whatever it is now.
    pub version: Option<i64>,
}

impl Service {
    /// Makes a contest without problems.
    ///
    /// # Errors
    /// [`ContestError`]: every variant but `Store` is for the form.
    pub async fn create_contest(
        &self,
        actor: Option<&Actor>,
        slug: &Slug,
        settings: &Settings,
        now: EpochMs,
    ) -> Result<ContestId, ContestError> {
        require_or_terminal(actor, Role::Admin)?;
        let settings = checked(settings)?;
        let mut tx = self.store.begin_write().await?;
        free(&mut tx, slug).await?;
        let id = contest_setting::insert(&mut tx, slug, &settings, now).await?;
        record(&mut tx, actor, "contest.create", slug.as_str(), None, Some(&told(&settings)), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Makes a contest with another's settings, problems and teams, which starts at `start`.
    ///
    /// # Errors
    /// [`ContestError`]: every variant but `Store` is for the form.
    pub async fn clone_contest(
        &self,
        actor: Option<&Actor>,
        from: &str,
        slug: &Slug,
        start: EpochMs,
        now: EpochMs,
    ) -> Result<ContestId, ContestError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let old = find(&mut tx, Seen { slug: from, version: None }).await?;
        free(&mut tx, slug).await?;
        let settings = Settings { start, ..settings_of(&old) };
        let id = contest_setting::insert(&mut tx, slug, &settings, now).await?;
        let places: Vec<Place> = contest::problems(&mut *tx, old.id)
            .await?
            .into_iter()
            .map(|place| Place { problem: place.problem_id, label: place.label, rgb: place.rgb })
            .collect();
        contest_setting::set_problems(&mut tx, id, &places, now).await?;
        let mut teams = Vec::new();
        for name in contest_team::invited(&mut *tx, old.id).await? {
            teams.extend(contest_setting::team_by_name(&mut *tx, &name).await?);
        }
        contest_setting::set_teams(&mut tx, id, &teams, now).await?;
        record(&mut tx, actor, "contest.clone", slug.as_str(), Some(from), Some(slug.as_str()), now).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Changes a contest's settings.
    ///
    /// # Errors
    /// [`ContestError`]: every variant but `Store` is for the form.
    pub async fn edit_contest(
        &self,
        actor: Option<&Actor>,
        seen: Seen<'_>,
        settings: &Settings,
        now: EpochMs,
    ) -> Result<(), ContestError> {
        require_or_terminal(actor, Role::Admin)?;
        let settings = checked(settings)?;
        let mut tx = self.store.begin_write().await?;
        let old = find(&mut tx, seen).await?;
        if old.is_practice() {
            return Err(ContestError::Practice);
        }
        if old.finalized.is_some() {
            return Err(NotNow::Finalized.into());
        }
        contest_setting::update(&mut tx, old.id, &settings, now).await?;
        let (before, after) = (told(&settings_of(&old)), told(&settings));
        record(&mut tx, actor, "contest.edit", seen.slug, Some(&before), Some(&after), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Makes these, in this order, a contest's problems.
    ///
    /// # Errors
    /// [`ContestError`]: every variant but `Store` is for the form.
    pub async fn set_contest_problems(
        &self,
        actor: Option<&Actor>,
        seen: Seen<'_>,
        wanted: &[WantedProblem],
        now: EpochMs,
    ) -> Result<(), ContestError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let found = find(&mut tx, seen).await?;
        let mut places: Vec<Place> = Vec::new();
        for (index, one) in wanted.iter().enumerate() {
            let unknown = || ContestError::NoSuchProblem(one.slug.clone());
            let problem = problem::by_slug(&mut *tx, &one.slug).await?.filter(|problem| problem.package_id.is_some());
            let problem = problem.ok_or_else(unknown)?.id;
            let label = label(&one.label)?;
            if places.iter().any(|place| place.label == label) {
                return Err(ContestError::BadLabel(label));
            }
            if places.iter().any(|place| place.problem == problem) {
                return Err(unknown());
            }
            places.push(Place { problem, label, rgb: colour(&one.rgb, index)? });
        }
        let old = contest::problems(&mut *tx, found.id).await?;
        for tried in contest_setting::tried_problems(&mut *tx, found.id).await? {
            if !places.iter().any(|place| place.problem == tried)
                && let Some(gone) = old.iter().find(|place| place.problem_id == tried)
            {
                return Err(ContestError::Tried(gone.slug.to_string()));
            }
        }
        contest_setting::set_problems(&mut tx, found.id, &places, now).await?;
        let before: Vec<String> = old.iter().map(|place| format!("{} {}", place.label, place.slug)).collect();
        let after: Vec<String> = wanted.iter().map(|one| format!("{} {}", one.label, one.slug)).collect();
        let (before, after) = (before.join(", "), after.join(", "));
        record(&mut tx, actor, "contest.problems", seen.slug, Some(&before), Some(&after), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Makes the teams with these names the contest's teams.
    ///
    /// # Errors
    /// [`ContestError`]: every variant but `Store` is for the form.
    pub async fn set_contest_teams(
        &self,
        actor: Option<&Actor>,
        seen: Seen<'_>,
        names: &[String],
        now: EpochMs,
    ) -> Result<(), ContestError> {
        require_or_terminal(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let found = find(&mut tx, seen).await?;
        if found.is_practice() {
            return Err(ContestError::Practice);
        }
        let mut teams: Vec<TeamId> = Vec::new();
        for name in names {
            let team = contest_setting::team_by_name(&mut *tx, name).await?;
            teams.push(team.ok_or_else(|| ContestError::NoSuchTeam(name.clone()))?);
        }
        let before = contest_team::invited(&mut *tx, found.id).await?.join(", ");
        contest_setting::set_teams(&mut tx, found.id, &teams, now).await?;
        record(&mut tx, actor, "contest.teams", seen.slug, Some(&before), Some(&names.join(", ")), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Changes what contestants learn of secret tests that failed, also of submissions that were judged before.
    ///
    /// # Errors
    /// [`ContestError::Forbidden`] below judge, [`ContestError::NoSuchContest`].
    pub async fn set_failed_tests(
        &self,
        actor: &Actor,
        slug: &str,
        rule: FailedTests,
        now: EpochMs,
    ) -> Result<(), ContestError> {
        require(actor, Role::Judge)?;
        let mut tx = self.store.begin_write().await?;
        let contest = find(&mut tx, Seen { slug, version: None }).await?;
        contest::set_failed_tests(&mut tx, contest.id, rule, now).await?;
        let (before, after) = (Some(contest.failed_tests.as_str()), Some(rule.as_str()));
        record(&mut tx, Some(actor), "contest.failed_tests", contest.slug.as_str(), before, after, now).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// The contest, if nobody changed it since it was looked at.
pub(super) async fn find(tx: &mut WriteTx, seen: Seen<'_>) -> Result<Contest, ContestError> {
    let found = contest::by_slug(&mut **tx, seen.slug).await?;
    let found = found.ok_or_else(|| ContestError::NoSuchContest(seen.slug.to_owned()))?;
    if seen.version.is_some_and(|version| version != found.version) {
        return Err(ContestError::ChangedMeanwhile);
    }
    Ok(found)
}

async fn free(tx: &mut WriteTx, slug: &Slug) -> Result<(), ContestError> {
    match contest::by_slug(&mut **tx, slug.as_str()).await? {
        Some(_) => Err(ContestError::Taken(slug.to_string())),
        None => Ok(()),
    }
}

/// A contest's settings as they are.
pub fn settings_of(contest: &Contest) -> Settings {
    Settings {
        name: contest.name.clone(),
        start: contest.start,
        duration_ms: contest.duration_ms,
        freeze_ms: contest.freeze_ms,
        penalty_minutes: contest.penalty_minutes,
        scoring: contest.scoring,
        points_from: contest.points_from,
        failed_tests: contest.failed_tests,
        access: contest.access,
        languages: contest.languages.clone(),
        practice_after: contest.practice_after,
        equal_toolchains: contest.equal_toolchains,
    }
}

/// What is usual: ICPC's five hours without a freeze, from the same time tomorrow.
pub fn usual_settings(name: &str, now: EpochMs) -> Settings {
    Settings {
        name: name.to_owned(),
        start: now.plus_ms(DAY_MS),
        duration_ms: Some(USUAL_DURATION_MS),
        freeze_ms: None,
        penalty_minutes: 20,
        scoring: Scoring::PassFail,
        points_from: PointsFrom::Submissions,
        failed_tests: FailedTests::Nothing,
        access: Access::Open,
        languages: None,
        practice_after: true,
        equal_toolchains: false,
    }
}

fn checked(settings: &Settings) -> Result<Settings, ContestError> {
    let name = settings.name.trim().to_owned();
    if !(1..=MAX_NAME).contains(&name.chars().count()) {
        return Err(ContestError::BadName);
    }
    let freeze_ms = settings.freeze_ms.filter(|freeze| *freeze > 0);
    if freeze_ms.is_some_and(|freeze| settings.duration_ms.is_none_or(|duration| freeze > duration)) {
        return Err(ContestError::FreezeTooLong);
    }
    Ok(Settings { name, freeze_ms, ..settings.clone() })
}

/// For the log.
fn told(settings: &Settings) -> String {
    let languages = settings.languages.as_ref().map_or_else(|| "all".to_owned(), |all| all.0.join(" "));
    format!(
        "name={} start_ms={} duration_ms={:?} freeze_ms={:?} penalty_minutes={} scoring={} points_from={} failed_tests={} access={} \
         languages={languages} practice_after={}{}",
        settings.name,
        settings.start.0,
        settings.duration_ms,
        settings.freeze_ms,
        settings.penalty_minutes,
        settings.scoring.as_str(),
        settings.points_from.as_str(),
        settings.failed_tests.as_str(),
        settings.access.as_str(),
        settings.practice_after,
        if settings.equal_toolchains { " equal_toolchains=true" } else { "" },
    )
}

fn label(text: &str) -> Result<String, ContestError> {
    let label = text.trim();
    let good = (1..=MAX_LABEL).contains(&label.chars().count()) && label.chars().all(char::is_alphanumeric);
    if good { Ok(label.to_owned()) } else { Err(ContestError::BadLabel(label.to_owned())) }
}

fn colour(text: &str, index: usize) -> Result<String, ContestError> {
    let colour = text.trim().to_ascii_lowercase();
    if colour.is_empty() {
        return Ok(contest::usual_colour(index).to_owned());
    }
    let digits = colour.strip_prefix('#').filter(|digits| digits.len() == 6);
    match digits {
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => Ok(colour),
        _ => Err(ContestError::BadColour(text.to_owned())),
    }
}
