//! Making and changing contests.

use std::io::Write as _;

use anyhow::Context as _;

use super::Data;
use super::step::span;
use crate::clock;
use crate::domain::contest::span_text;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::service::contests::{Seen, WantedProblem, settings_of, usual_settings};
use crate::service::facts;
use crate::store::Texts;
use crate::store::contest::{self, Access, FailedTests, PointsFrom, Scoring};
use crate::store::contest_setting::Settings;

/// List the contests
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Print as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: Data,
}

/// Settings that `create` and `edit` share; what isn't named stays as it is.
#[derive(Debug, clap::Args)]
struct Wanted {
    /// Name for people
    #[arg(long)]
    name: Option<String>,
    /// When it starts, e.g. 2026-03-01T12:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    start: Option<EpochMs>,
    /// How long it lasts
    #[arg(long, value_name = "H:MM", value_parser = span)]
    duration: Option<i64>,
    /// For how long before the end the board is frozen; 0:00: never
    #[arg(long, value_name = "H:MM", value_parser = span)]
    freeze: Option<i64>,
    /// What a rejected try costs, minutes
    #[arg(long, value_name = "MINUTES")]
    penalty: Option<u16>,
    /// pass-fail (ICPC) or score (IOI)
    #[arg(long)]
    scoring: Option<Scoring>,
    /// What points are the best of: submissions, or groups (of tests, each by itself)
    #[arg(long, value_name = "submissions|groups")]
    points_from: Option<PointsFrom>,
    /// What contestants learn of a secret test that failed: nothing or number
    #[arg(long)]
    failed_tests: Option<FailedTests>,
    /// Who takes part: open or invitation
    #[arg(long)]
    access: Option<Access>,
    /// Allowed languages by id, with commas; all: all
    #[arg(long, value_name = "IDS")]
    languages: Option<String>,
    /// Whether its problems can be practised after the end
    #[arg(long, value_name = "true|false")]
    practice_after: Option<bool>,
    /// Whether only machines with the server's own tools may judge it
    #[arg(long, value_name = "true|false")]
    equal_toolchains: Option<bool>,
}

impl Wanted {
    fn over(&self, old: Settings) -> Settings {
        Settings {
            name: self.name.clone().unwrap_or(old.name),
            start: self.start.unwrap_or(old.start),
            duration_ms: self.duration.or(old.duration_ms),
            freeze_ms: self.freeze.or(old.freeze_ms),
            penalty_minutes: self.penalty.map_or(old.penalty_minutes, i64::from),
            scoring: self.scoring.unwrap_or(old.scoring),
            points_from: self.points_from.unwrap_or(old.points_from),
            failed_tests: self.failed_tests.unwrap_or(old.failed_tests),
            access: self.access.unwrap_or(old.access),
            languages: match self.languages.as_deref() {
                None => old.languages,
                Some("all") => None,
                Some(ids) => Some(Texts(ids.split(',').map(|id| id.trim().to_owned()).collect())),
            },
            practice_after: self.practice_after.unwrap_or(old.practice_after),
            equal_toolchains: self.equal_toolchains.unwrap_or(old.equal_toolchains),
        }
    }
}

/// Make a contest
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: touchstone contest create cup --name 'City Cup' --start 2026-03-01T12:00Z --duration 5:00 \
                  --freeze 1:00"
)]
pub struct CreateArgs {
    /// Its short name in addresses
    contest: Slug,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    data: Data,
}

/// Change a contest's settings; what isn't named stays as it is
#[derive(Debug, clap::Args)]
pub struct EditArgs {
    /// The contest's short name
    contest: String,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    data: Data,
}

/// Make a contest with another's settings, problems and teams
#[derive(Debug, clap::Args)]
pub struct CloneArgs {
    /// The contest to copy
    from: String,
    /// The new one's short name
    contest: Slug,
    /// When the new one starts, e.g. 2026-03-01T12:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    start: EpochMs,
    #[command(flatten)]
    data: Data,
}

/// Set a contest's problems, in this order
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone contest problems cup A=curling B=lianliankan#3cb44b")]
pub struct ProblemsArgs {
    /// The contest's short name
    contest: String,
    /// LETTER=PROBLEM, with a colour if it shall not be the usual one
    #[arg(value_name = "LETTER=PROBLEM[#RRGGBB]")]
    problems: Vec<String>,
    #[command(flatten)]
    data: Data,
}

/// Set the teams that a contest invites
#[derive(Debug, clap::Args)]
pub struct TeamsArgs {
    /// The contest's short name
    contest: String,
    /// Names of teams
    teams: Vec<String>,
    #[command(flatten)]
    data: Data,
}

/// A moment with a zone.
fn moment(text: &str) -> Result<EpochMs, String> {
    let moment: Result<jiff::Timestamp, _> = text.parse();
    moment.map(|moment| EpochMs(moment.as_millisecond())).map_err(|error| format!("{error}; write 2026-03-01T12:00Z"))
}

pub async fn list(args: &ListArgs) -> anyhow::Result<()> {
    let service = args.data.service().await?;
    let mut out = std::io::stdout().lock();
    let now = clock::now();
    for contest in contest::list(service.store().read()).await? {
        let state = facts::contest_state(&contest, now);
        if args.json {
            writeln!(out, "{}", facts::contest(&contest, now))?;
        } else {
            let duration = contest.duration_ms.map_or_else(|| "always".to_owned(), span_text);
            writeln!(out, "{:<20} {:<8} {duration:>8}  {}", contest.slug.as_str(), state, contest.name)?;
        }
    }
    Ok(())
}

fn say(text: std::fmt::Arguments<'_>) -> std::io::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}")
}

pub async fn create(args: &CreateArgs) -> anyhow::Result<()> {
    let now = clock::now();
    let usual = usual_settings(args.contest.as_str(), now);
    args.data.service().await?.create_contest(None, &args.contest, &args.wanted.over(usual), now).await?;
    say(format_args!("made the contest {}", args.contest))?;
    Ok(())
}

pub async fn edit(args: &EditArgs) -> anyhow::Result<()> {
    let service = args.data.service().await?;
    let found = contest::by_slug(service.store().read(), &args.contest).await?;
    let found = found.with_context(|| format!("there is no contest `{}`", args.contest))?;
    let seen = Seen { slug: &args.contest, version: Some(found.version) };
    service.edit_contest(None, seen, &args.wanted.over(settings_of(&found)), clock::now()).await?;
    say(format_args!("changed the contest {}", args.contest))?;
    Ok(())
}

pub async fn copy(args: &CloneArgs) -> anyhow::Result<()> {
    args.data.service().await?.clone_contest(None, &args.from, &args.contest, args.start, clock::now()).await?;
    say(format_args!("made the contest {}", args.contest))?;
    Ok(())
}

pub async fn problems(args: &ProblemsArgs) -> anyhow::Result<()> {
    let mut wanted = Vec::new();
    for text in &args.problems {
        let (label, rest) = text.split_once('=').with_context(|| format!("`{text}` is not LETTER=PROBLEM"))?;
        let (slug, rgb) = rest.split_once('#').map_or((rest, String::new()), |(slug, rgb)| (slug, format!("#{rgb}")));
        wanted.push(WantedProblem { slug: slug.to_owned(), label: label.to_owned(), rgb });
    }
    let seen = Seen { slug: &args.contest, version: None };
    args.data.service().await?.set_contest_problems(None, seen, &wanted, clock::now()).await?;
    say(format_args!("the contest {} has {} problems", args.contest, wanted.len()))?;
    Ok(())
}

pub async fn teams(args: &TeamsArgs) -> anyhow::Result<()> {
    let seen = Seen { slug: &args.contest, version: None };
    args.data.service().await?.set_contest_teams(None, seen, &args.teams, clock::now()).await?;
    say(format_args!("the contest {} invites {} teams", args.contest, args.teams.len()))?;
    Ok(())
}
