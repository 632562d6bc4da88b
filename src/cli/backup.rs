//! `touchstone backup` and `touchstone restore`: the one file, copied while the server works, and put back.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::config::{Config, Settings};
use crate::store::{Store, backup, judgement};

use super::replay::Replayer;
use super::{judging_host, receipt};

/// Copy everything to one file, while the server works
///
/// The copy is the database as it was at one moment, checked; it appears under its name only when it is whole. With
/// --verify some of its judgements are made again from the copy alone. Exit code 1: the copy is whole, but a judgement
/// came out otherwise. 2: there is no copy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone backup /backup/touchstone-monday.sqlite --data /srv/touchstone --verify 5")]
pub struct BackupArgs {
    /// The new file
    file: PathBuf,
    /// Make so many of its judgements again, spread over all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    verify: u32,
    /// Folder of the judge's data
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA")]
    data: Option<PathBuf>,
    /// The operator's language table, if the server uses one
    #[arg(long, value_name = "FILE")]
    languages: Option<PathBuf>,
}

/// Put a backup in the place of the data; the server must be stopped
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone restore /backup/touchstone-monday.sqlite --data /srv/touchstone --replace")]
pub struct RestoreArgs {
    /// The backup
    file: PathBuf,
    /// Folder of the judge's data
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA")]
    data: Option<PathBuf>,
    /// Replace the database that is there; it is kept beside as touchstone.sqlite.replaced
    #[arg(long)]
    replace: bool,
}

fn config(data: Option<PathBuf>) -> anyhow::Result<Config> {
    Ok(Config::new(Settings { data, ..Settings::default() }, 1)?)
}

pub fn back_up(args: &BackupArgs) -> anyhow::Result<ExitCode> {
    let database = config(args.data.clone())?.database();
    if !database.is_file() {
        bail!("there is no database {}", database.display());
    }
    if args.file.exists() {
        bail!("{} is there already; name a new file", args.file.display());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let part = beside(&args.file, "part");
        // Left by a backup that was cut off.
        let _ = fs::remove_file(&part);
        let made = backup::copy(&database, &part).await;
        if let Err(error) = made {
            let _ = fs::remove_file(&part);
            return Err(error).with_context(|| format!("{} can't be copied to {}", database.display(), part.display()));
        }
        check(&part, &part).await?;
        into_place(&part, &args.file)?;
        let bytes = fs::metadata(&args.file)?.len();
        writeln!(std::io::stdout().lock(), "copied to {}: {bytes} bytes, whole", args.file.display())?;
        if args.verify == 0 { Ok(ExitCode::SUCCESS) } else { verify(args).await }
    })
}

/// Makes judgements of the copy again. The copy itself is only read: they are made from a copy of the copy, which is
/// brought up to date.
async fn verify(args: &BackupArgs) -> anyhow::Result<ExitCode> {
    let folder = tempfile::Builder::new().prefix("touchstone-").tempdir().context("could not make a work folder")?;
    let file = folder.path().join("touchstone.sqlite");
    fs::copy(&args.file, &file).context("the copy can't be copied")?;
    let store = Store::open(&file).await.context("the copy can't be opened")?;
    let chosen = judgement::spread(store.read(), args.verify).await?;
    let replayer = Replayer::open(store.clone(), args.languages.as_deref())?;
    let mut all_hold = true;
    for (submission, id) in &chosen {
        let all = judgement::of_submission(store.read(), *submission).await?;
        let Some(judgement) = all.iter().find(|one| one.id == *id) else { continue };
        let made = replayer.replay(judgement).await.with_context(|| format!("judgement {}", judgement.id))?;
        receipt::tell(&made, false)?;
        all_hold &= made.holds();
    }
    let many = chosen.len();
    writeln!(
        std::io::stdout().lock(),
        "{many} judgements were made again; {}",
        if all_hold { "all hold" } else { "not all hold" }
    )?;
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub fn restore(args: &RestoreArgs) -> anyhow::Result<ExitCode> {
    let config = config(args.data.clone())?;
    if !args.file.is_file() {
        bail!("there is no file {}", args.file.display());
    }
    let _lock = judging_host::lock_data(&config)?;
    let database = config.database();
    if database.exists() && !args.replace {
        bail!("{} is there already; --replace puts the backup in its place and keeps it beside", database.display());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let part = beside(&database, "part");
        fs::copy(&args.file, &part).with_context(|| format!("{} can't be copied", args.file.display()))?;
        if let Err(error) = check(&part, &args.file).await {
            let _ = fs::remove_file(&part);
            return Err(error);
        }
        if database.exists() {
            // With its write-ahead log, which may hold its newest rows.
            for end in ["", "-wal", "-shm"] {
                let from = PathBuf::from(format!("{}{end}", database.display()));
                let to = PathBuf::from(format!("{}.replaced{end}", database.display()));
                match fs::rename(&from, &to) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(error).with_context(|| format!("{} can't be kept beside", from.display()));
                    }
                    _ => {}
                }
            }
        }
        into_place(&part, &database)?;
        writeln!(std::io::stdout().lock(), "restored to {}; start the server again", database.display())?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Whether a file is a whole database; in the sentence it has the name that its reader knows.
async fn check(file: &Path, named: &Path) -> anyhow::Result<()> {
    let faults = backup::faults(file).await.with_context(|| format!("{} can't be checked", named.display()))?;
    match faults.as_slice() {
        [] => Ok(()),
        [only] => bail!("{} can't be used: {only}", named.display()),
        [first, ..] => bail!("{} is damaged ({} faults): {first}", named.display(), faults.len()),
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.{ending}", file.display()))
}

/// Gives a finished file its name, so that it is whole after a power cut too.
fn into_place(part: &Path, file: &Path) -> anyhow::Result<()> {
    let doing = || format!("{} can't be written", file.display());
    File::open(part).and_then(|part| part.sync_all()).with_context(doing)?;
    fs::rename(part, file).with_context(doing)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).with_context(doing)
}
