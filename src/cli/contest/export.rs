//! `touchstone contest export`: the board as a folder that opens from disk.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;

use super::Data;
use crate::clock;
use crate::web::board_folder;

/// Write a contest's board as a folder: a page that opens from disk, CSV, and ICPC's results.tsv and standings.csv
///
/// It holds what everybody may see: of a frozen board the frozen one. Each row opens its team's submissions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone contest export cup site/")]
pub struct ExportArgs {
    /// The contest's short name
    contest: String,
    /// Where to write; files of the same names are replaced
    folder: PathBuf,
    #[command(flatten)]
    data: Data,
}

pub async fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let service = args.data.service().await?;
    let files = board_folder::files(&service, &args.contest, clock::now()).await?;
    let files = files.with_context(|| format!("there is no contest `{}`", args.contest))?;
    let doing = || format!("{} can't be written", args.folder.display());
    std::fs::create_dir_all(&args.folder).with_context(doing)?;
    let mut out = std::io::stdout().lock();
    let mut of_teams = 0;
    for (name, contents) in files {
        std::fs::write(args.folder.join(&name), contents).with_context(doing)?;
        if name.starts_with("team-") {
            of_teams += 1;
        } else {
            writeln!(out, "{}", args.folder.join(&name).display())?;
        }
    }
    if of_teams > 0 {
        writeln!(out, "and {of_teams} pages of teams")?;
    }
    Ok(())
}
