//! `touchstone demo`: an empty folder becomes a judge with a contest in progress. Teams hand in the programs that the
//! built-in packages keep to test their judging, and every one is judged as any submission is.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::sync::watch;

use super::{builtin, serve, workshop};
use crate::clock;
use crate::config::{Config, Settings as ConfigSettings};
use crate::domain::account::{NewPassword, Role, UserName};
use crate::domain::language::LanguageId;
use crate::domain::source::SourceFile;
use crate::domain::time::EpochMs;
use crate::service::contests::{Seen, WantedProblem};
use crate::service::submissions::{NewSubmission, Repeat};
use crate::service::{Actor, Service};
use crate::store::contest::{self, Access, FailedTests, PointsFrom, Scoring};
use crate::store::contest_setting::Settings;
use crate::store::problem::{self, ProblemState};
use crate::web::OfferedLanguage;

const CONTEST: &str = "demo";
const HOUR_MS: i64 = 3_600_000;
/// Before the demo begins.
const PLAYED_MS: i64 = 3 * HOUR_MS;
const TEAMS: [&str; 12] = [
    "Analytical_Engine",
    "Blue_Moon",
    "Cedar",
    "Drumlin",
    "Estuary",
    "Fjord",
    "北辰",
    "Granite",
    "Heron",
    "锦鲤",
    "Isobar",
    "Juniper",
];
/// How many submissions each team has handed in when the demo begins.
const EARLIER: usize = 3;
/// Between two submissions afterwards.
const EVERY: Duration = Duration::from_secs(20);
/// How many of them there are.
const LATER: usize = 60;

/// Fill an empty folder with a contest in progress, and serve it
///
/// A dozen teams, submissions that are judged for real, a freeze ahead. Afterwards `touchstone serve --data FOLDER` goes on
/// with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone demo")]
pub struct DemoArgs {
    /// The folder; it must be empty or not there
    #[arg(long, value_name = "FOLDER", default_value = "touchstone-demo")]
    data: PathBuf,
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// How many programs are judged at once (default: one per core)
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
}

pub fn run(args: DemoArgs) -> anyhow::Result<ExitCode> {
    let used = std::fs::read_dir(&args.data).is_ok_and(|mut entries| entries.next().is_some());
    if used {
        let folder = args.data.display();
        bail!(
            "{folder} is not empty; go on with it by `touchstone serve --data {folder}`, or name another with --data"
        );
    }
    let settings = ConfigSettings {
        listen: args.listen,
        data: Some(args.data),
        workers: args.workers,
        ..ConfigSettings::default()
    };
    serve::start(&Config::new(settings, workshop::cores())?, Some(Demo::new()?))
}

/// A program that a team hands in.
struct Program {
    problem: String,
    accepted: bool,
    language: LanguageId,
    file: SourceFile,
}

/// The demo before it runs.
pub struct Demo {
    password: NewPassword,
    shown: String,
}

impl Demo {
    fn new() -> anyhow::Result<Self> {
        // Whoever reaches the server must not know it beforehand.
        let mut bytes = [0_u8; 6];
        getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
        let shown = format!("{:012x}", bytes.iter().fold(0_u64, |all, byte| all << 8 | u64::from(*byte)));
        Ok(Self { password: shown.parse()?, shown })
    }

    /// Makes the people and the contest, and says how to log in.
    pub async fn prepare(&self, service: &Service, address: SocketAddr) -> anyhow::Result<()> {
        let now = clock::now();
        let admin: UserName = "admin".parse()?;
        service.create_user(&admin, Role::Admin, Some(&self.password), now).await?;
        for team in TEAMS {
            service.create_user(&team.parse()?, Role::Contestant, Some(&self.password), now).await?;
        }
        let settings = Settings {
            name: "Demo contest".to_owned(),
            start: now.plus_ms(-PLAYED_MS),
            duration_ms: Some(5 * HOUR_MS),
            freeze_ms: Some(HOUR_MS),
            penalty_minutes: 20,
            scoring: Scoring::PassFail,
            points_from: PointsFrom::Submissions,
            failed_tests: FailedTests::Number,
            access: Access::Open,
            languages: None,
            practice_after: true,
            equal_toolchains: false,
        };
        service.create_contest(None, &CONTEST.parse()?, &settings, now).await?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "The demo contest: http://{address}/contests/{CONTEST}/scoreboard")?;
        writeln!(out, "Log in as admin, or as a team such as {}; the password is {}", TEAMS[0], self.shown)?;
        Ok(out.flush()?)
    }

    /// Hands in what the teams have done by now, and then one program after the other.
    pub async fn play(
        self,
        service: Arc<Service>,
        languages: Vec<OfferedLanguage>,
        mut stopping: watch::Receiver<bool>,
    ) {
        let play = async {
            if let Err(error) = self.hand_in(&service, &languages).await {
                tracing::error!("the demo broke off: {error:#}");
            }
        };
        tokio::select! {
            () = play => {}
            _ = stopping.wait_for(|stop| *stop) => {}
        }
    }

    async fn hand_in(&self, service: &Service, languages: &[OfferedLanguage]) -> anyhow::Result<()> {
        let programs = programs(languages)?;
        let problems = ready(service).await?;
        let wanted: Vec<WantedProblem> = problems
            .iter()
            .zip('A'..='Z')
            .map(|(slug, label)| WantedProblem { slug: slug.clone(), label: label.to_string(), rgb: String::new() })
            .collect();
        service.set_contest_problems(None, Seen { slug: CONTEST, version: None }, &wanted, clock::now()).await?;
        let contest = contest::by_slug(service.store().read(), CONTEST).await?.context("the demo contest is gone")?;
        let mut teams = Vec::new();
        for team in TEAMS {
            teams.push(service.check_password(team, &self.shown, None, clock::now()).await?);
        }
        let choose = |turn: usize| {
            // Wrong ones come first, for each problem in turn.
            let problem = &problems[turn / TEAMS.len() % problems.len()];
            let accepted = !(turn * 7 + turn / TEAMS.len()).is_multiple_of(3);
            let fitting: Vec<&Program> =
                programs.iter().filter(|one| one.problem == *problem && one.accepted == accepted).collect();
            fitting.get(turn * 5 % fitting.len().max(1)).copied()
        };
        let earlier = TEAMS.len() * EARLIER;
        let span = clock::now().since(contest.start);
        for turn in 0..earlier {
            let passed = span * i64::try_from(turn + 1).unwrap_or_default() / i64::try_from(earlier + 1).unwrap_or(1);
            let team = &teams[turn * 5 % teams.len()];
            submit(service, team, choose(turn), contest.start.plus_ms(passed)).await?;
        }
        service
            .ask(&teams[1], contest.id, problems.first().map(String::as_str), "Is the input sorted?", clock::now())
            .await?;
        for turn in earlier..earlier + LATER {
            tokio::time::sleep(EVERY).await;
            submit(service, &teams[turn * 5 % teams.len()], choose(turn), clock::now()).await?;
        }
        Ok(())
    }
}

async fn submit(service: &Service, team: &Actor, program: Option<&Program>, at: EpochMs) -> anyhow::Result<()> {
    let Some(program) = program else { return Ok(()) };
    let new = NewSubmission {
        contest: Some(CONTEST.to_owned()),
        problem: program.problem.clone(),
        language: program.language.clone(),
        entry_point: None,
        files: vec![program.file.clone()],
        repeat: Repeat::Never,
    };
    service.submit(team, new, at).await?;
    Ok(())
}

/// The programs of one file in a language that this host can judge.
fn programs(languages: &[OfferedLanguage]) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for (slug, files) in builtin::packages()? {
        for file in files {
            let parts: Vec<&str> = file.path.split('/').collect();
            let ["submissions", kind, name] = parts.as_slice() else { continue };
            let text = String::from_utf8_lossy(&file.contents).into_owned();
            let Some(language) = OfferedLanguage::guess(languages, "", Some(name), &text) else { continue };
            let Ok(source) = SourceFile::text(name, file.contents) else { continue };
            programs.push(Program {
                problem: slug.to_string(),
                accepted: *kind == "accepted",
                language: language.id.clone(),
                file: source,
            });
        }
    }
    Ok(programs)
}

/// The slugs of the built-in problems, once all are ready.
async fn ready(service: &Service) -> anyhow::Result<Vec<String>> {
    let mut events = service.store().events();
    let all = builtin::packages()?;
    loop {
        events.mark_unchanged();
        let overview = problem::overview(service.store().read()).await?;
        let published =
            |slug: &str| overview.iter().any(|one| one.slug.as_str() == slug && one.state == ProblemState::Published);
        if all.iter().all(|(slug, _)| published(slug.as_str())) {
            return Ok(all.into_iter().map(|(slug, _)| slug.to_string()).collect());
        }
        events.changed().await?;
    }
}
