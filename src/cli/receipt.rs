//! `touchstone receipt`: what a judgement depended on, and whether it still comes out the same.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::config::{Config, Settings};
use crate::domain::ids::{JudgementId, SubmissionId};
use crate::judge::replay;
use crate::store::Store;
use crate::store::judgement::{self, Judgement};

use super::replay::{Replayed, Replayer};

#[derive(Debug, clap::Subcommand)]
pub enum ReceiptCommand {
    /// Show what a judgement depended on: hashes, compilers, limits, sandbox, machine
    Show(ReceiptArgs),
    /// Judge a submission again from what is stored and say what differs
    ///
    /// Nothing is written. Exit code 0: everything is as it was (another kernel or processor is told, but doesn't
    /// count). 1: the verdict or something that it depends on differs. 2: it can't be judged here.
    Verify(ReceiptArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone receipt verify 17 --data /srv/touchstone")]
pub struct ReceiptArgs {
    /// Number of the submission
    submission: i64,
    /// Number of one of its judgements (default: the one that counts)
    #[arg(long, value_name = "N")]
    judgement: Option<i64>,
    /// Folder of the judge's data
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA")]
    data: Option<PathBuf>,
    /// A database file instead, for example a backup
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    database: Option<PathBuf>,
    /// The operator's language table, if the server uses one
    #[arg(long, value_name = "FILE")]
    languages: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(command: ReceiptCommand) -> anyhow::Result<ExitCode> {
    let (args, verify) = match command {
        ReceiptCommand::Show(args) => (args, false),
        ReceiptCommand::Verify(args) => (args, true),
    };
    let database = match &args.database {
        Some(file) => file.clone(),
        None => Config::new(Settings { data: args.data.clone(), ..Settings::default() }, 1)?.database(),
    };
    if !database.is_file() {
        bail!("there is no database {}", database.display());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(&database).await;
        let store = store.with_context(|| format!("the database {} can't be opened", database.display()))?;
        let judgement = find(&store, &args).await?;
        if verify {
            let replayed = Replayer::open(store, args.languages.as_deref())?.replay(&judgement).await?;
            tell(&replayed, args.json)?;
            return Ok(if replayed.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        let receipt = judgement.receipt.unwrap_or_default();
        let mut out = std::io::stdout().lock();
        if args.json {
            writeln!(out, "{receipt}")?;
        } else {
            for (part, value) in replay::lines(&receipt) {
                writeln!(out, "{part}: {value}")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn find(store: &Store, args: &ReceiptArgs) -> anyhow::Result<Judgement> {
    let id = args.submission;
    let all = judgement::of_submission(store.read(), SubmissionId(id)).await?;
    if all.is_empty() {
        bail!("there is no submission {id}");
    }
    let found = all.into_iter().find(|one| match args.judgement {
        Some(number) => one.id == JudgementId(number),
        None => one.valid,
    });
    let Some(found) = found else { bail!("the submission {id} has no such judgement") };
    if found.receipt.is_none() {
        bail!(
            "the judgement {} of the submission {id} has no receipt: it has no verdict that programs led to",
            found.id
        );
    }
    Ok(found)
}

/// The result for people or programs.
pub fn tell(replayed: &Replayed, json: bool) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        return writeln!(out, "{}", serde_json::to_string(replayed)?);
    }
    for one in &replayed.differences {
        let (stored, now) = (one.stored.as_deref().unwrap_or("nothing"), one.now.as_deref().unwrap_or("nothing"));
        let note = if one.is_of_host() { " (this doesn't count)" } else { "" };
        writeln!(out, "{}: it was {stored}, now it is {now}{note}", one.part)?;
    }
    let verdict = if replayed.holds() { "comes out the same" } else { "differs" };
    writeln!(out, "judgement {}: {} now; it {verdict}", replayed.judgement, replayed.now)
}
