//! `touchstone problem list`, `show`, `state`, ...: problems of a judge, as an admin or setter handles them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::cli::judge_data::{Acting, JudgeData};
use crate::clock;
use crate::domain::language::LanguageId;
use crate::service::problem_settings::CheckerFlags;
use crate::service::{Actor, Service, facts};
use crate::store::problem;

/// Which judge, and for whom.
#[derive(Debug, clap::Args)]
pub struct Desk {
    #[command(flatten)]
    acting: Acting,
    #[command(flatten)]
    judge: JudgeData,
}

/// A problem of a judge.
#[derive(Debug, clap::Args)]
pub struct Named {
    /// Its short name
    problem: String,
    #[command(flatten)]
    desk: Desk,
}

#[derive(Debug, clap::Subcommand)]
pub enum StoredCommand {
    /// List a judge's problems
    List(Desk),
    /// Show a judge's problem with its versions, checker and languages, as JSON
    Show(Named),
    /// Begin a problem in a judge with a small package that verifies
    Create(Named),
    /// Take a problem out of the lists; its submissions stay
    Withdraw(Named),
    /// Put a withdrawn problem back
    PutBack(Named),
    /// Offer the package in force with other limits
    Limits {
        /// Time, milliseconds of cpu
        #[arg(long)]
        cpu_ms: u64,
        /// Memory, MiB
        #[arg(long)]
        memory_mib: u64,
        #[command(flatten)]
        named: Named,
    },
    /// Offer the package in force with other rules of the default checker; without any it compares words
    Checker {
        /// Capital and small letters differ
        #[arg(long)]
        case_sensitive: bool,
        /// White space counts
        #[arg(long)]
        space_change_sensitive: bool,
        /// How far numbers may be off, e.g. 1e-6
        #[arg(long, value_name = "NUMBER")]
        float_absolute_tolerance: Option<f64>,
        /// How far numbers may be off, as a part of the answer
        #[arg(long, value_name = "NUMBER")]
        float_relative_tolerance: Option<f64>,
        #[command(flatten)]
        named: Named,
    },
    /// Offer the package in force with other languages; without any all are allowed
    Languages {
        /// Allow this one, e.g. cpp20; may be given several times
        #[arg(long = "allow", value_name = "ID")]
        allowed: Vec<LanguageId>,
        #[command(flatten)]
        named: Named,
    },
    /// Offer the package in force with another statement
    Statement {
        /// Its language
        #[arg(long, default_value = "en")]
        language: String,
        /// A file of Markdown
        #[arg(long)]
        file: PathBuf,
        #[command(flatten)]
        named: Named,
    },
    /// Verify an older version again, to put it in force
    Restore {
        /// Its number
        #[arg(long)]
        version: u64,
        #[command(flatten)]
        named: Named,
    },
    /// Write a version's package of a judge as a zip
    Fetch {
        /// The zip to write; it must not be there yet
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Which version; default: the one in force
        #[arg(long)]
        version: Option<u64>,
        #[command(flatten)]
        named: Named,
    },
    /// Verify again what is in force
    Recheck(Named),
    /// Show the newest verification as JSON
    Verification(Named),
}

pub fn run(command: StoredCommand) -> anyhow::Result<ExitCode> {
    use StoredCommand as C;
    match command {
        C::List(desk) => desk.judge.run(async |service| list(service, desk.judge.json).await),
        C::Show(named) => named.run(async |service, actor, slug| {
            let mut told = facts::history(&service.problem_history(actor, slug).await?);
            if told["version"].is_u64() {
                told["settings"] = facts::settings(&service.problem_settings(actor, slug).await?);
            }
            Ok(told.to_string())
        }),
        C::Create(named) => named.run(async |service, actor, slug| {
            service.create_problem(actor, slug, clock::now()).await?;
            offered(slug)
        }),
        C::Withdraw(named) => named.run(async |service, actor, slug| withdraw(service, actor, slug, true).await),
        C::PutBack(named) => named.run(async |service, actor, slug| withdraw(service, actor, slug, false).await),
        C::Limits { cpu_ms, memory_mib, named } => named.run(async |service, actor, slug| {
            let current = in_force(service, actor, slug).await?;
            service.set_limits(actor, slug, current, (cpu_ms, memory_mib), clock::now()).await?;
            offered(slug)
        }),
        C::Checker {
            case_sensitive,
            space_change_sensitive,
            float_absolute_tolerance,
            float_relative_tolerance,
            named,
        } => named.run(async |service, actor, slug| {
            let flags = CheckerFlags {
                case_sensitive,
                space_change_sensitive,
                float_absolute_tolerance,
                float_relative_tolerance,
            };
            let current = in_force(service, actor, slug).await?;
            service.set_checker(actor, slug, current, flags, clock::now()).await?;
            offered(slug)
        }),
        C::Languages { allowed, named } => named.run(async |service, actor, slug| {
            let current = in_force(service, actor, slug).await?;
            let languages = Some(allowed.as_slice()).filter(|allowed| !allowed.is_empty());
            service.set_languages(actor, slug, current, languages, clock::now()).await?;
            offered(slug)
        }),
        C::Statement { language, file, named } => named.run(async |service, actor, slug| {
            let text = std::fs::read_to_string(&file).with_context(|| format!("{} can't be read", file.display()))?;
            let current = in_force(service, actor, slug).await?;
            service.edit_statement(actor, slug, &language, current, &text, clock::now()).await?;
            offered(slug)
        }),
        C::Restore { version, named } => named.run(async |service, actor, slug| {
            let current = in_force(service, actor, slug).await?;
            service.restore_package(actor, slug, version, current, clock::now()).await?;
            offered(slug)
        }),
        C::Fetch { output, version, named } => {
            named.run(async |service, actor, slug| fetch(service, actor, slug, version, &output).await)
        }
        C::Recheck(named) => named.run(async |service, actor, slug| {
            let id = service.verify_again(actor, slug, clock::now()).await?;
            Ok(format!("{slug}: verification {id} is queued"))
        }),
        C::Verification(named) => named.run(async |service, actor, slug| {
            Ok(facts::verification(&service.verification(actor, slug, None).await?).to_string())
        }),
    }
}

impl Named {
    /// Does something to the problem and prints what came of it.
    fn run(
        &self,
        work: impl AsyncFnOnce(&Service, &Actor, &str) -> anyhow::Result<String>,
    ) -> anyhow::Result<ExitCode> {
        self.desk.judge.run(async |service| {
            let actor = self.desk.acting.actor(service).await?;
            let told = work(service, &actor, &self.problem).await?;
            writeln!(std::io::stdout().lock(), "{told}")?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

async fn list(service: &Service, json: bool) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    for row in problem::overview(service.store().read()).await? {
        if json {
            writeln!(out, "{}", facts::problem(&row))?;
        } else {
            let (slug, state) = (row.slug.as_str(), row.state.as_str());
            writeln!(out, "{slug:<24} {state:<10} version {:<4} {:>5} tests", row.newest_version, row.tests)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn withdraw(service: &Service, actor: &Actor, slug: &str, withdrawn: bool) -> anyhow::Result<String> {
    service.set_withdrawn(actor, slug, withdrawn, clock::now()).await?;
    Ok(format!("{slug}: {}", if withdrawn { "withdrawn" } else { "published" }))
}

async fn in_force(service: &Service, actor: &Actor, slug: &str) -> anyhow::Result<u64> {
    Ok(service.problem_history(actor, slug).await?.in_force())
}

#[expect(clippy::unnecessary_wraps, reason = "the last line of work that can fail")]
fn offered(slug: &str) -> anyhow::Result<String> {
    Ok(format!("{slug}: offered; the judge's server verifies it and then puts it in force"))
}

async fn fetch(
    service: &Service,
    actor: &Actor,
    slug: &str,
    version: Option<u64>,
    output: &Path,
) -> anyhow::Result<String> {
    let shown = output.display();
    let version = match version {
        Some(version) => version,
        None => in_force(service, actor, slug).await?,
    };
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut zip = service.export_package(actor, slug, version, folder).await?;
    let mut file = std::fs::File::create_new(output).with_context(|| format!("{shown} can't be written"))?;
    let bytes = std::io::copy(&mut zip, &mut file).with_context(|| format!("{shown} can't be written"))?;
    Ok(format!("{slug}: version {version} written to {shown}, {bytes} bytes"))
}
