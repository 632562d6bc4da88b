//! `touchstone problem publish`: a package into a judge's database, to be verified by its server.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};

use crate::cli::{progress, workshop};
use crate::clock;
use crate::config::{Config, Settings};
use crate::judge::progress::Progress as _;
use crate::service::Service;
use crate::service::problems::{Offer, Publish};
use crate::store::package::{self, PackageState};
use crate::store::{Store, problem};

/// How often is looked what became of it.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Offer a package to a judge, which publishes it when every promise of it is kept
///
/// The server on that data folder verifies it; the page /admin/problems/NAME/verification shows how far it is. A version
/// that does not hold leaves the one before in force. With --wait this ends with 0 when it was published and with 1 when
/// it was refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: touchstone problem publish ./sums --data /srv/touchstone --wait")]
pub struct PublishArgs {
    /// Folder or zip of a problem package
    package: PathBuf,
    /// Folder of the judge's data
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA")]
    data: Option<PathBuf>,
    /// Wait until the server has published or refused it
    #[arg(long)]
    wait: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &PublishArgs) -> anyhow::Result<ExitCode> {
    let read = workshop::open_package(&args.package)?;
    let config = Config::new(Settings { data: args.data.clone(), ..Settings::default() }, 1)?;
    if !config.database().exists() {
        bail!("there is no judge in {}; name its folder with --data", config.data.display());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (state, message) = runtime.block_on(async {
        let store = Store::open(&config.database())
            .await
            .with_context(|| format!("the database {} can't be opened", config.database().display()))?;
        let service = Service::new(store.clone());
        let bar = progress::Bar::new(read.package.slug.as_str());
        bar.step("storing", 0, 1);
        let slug = read.package.slug.clone();
        let offer = service.offer_tree(None, &slug, read.tree, Publish::WhenVerified, clock::now()).await?;
        let (Offer::Queued(id) | Offer::Known(id)) = offer;
        let outcome = loop {
            let found = problem::by_slug(store.read(), slug.as_str()).await?.context("the problem has gone")?;
            let versions = package::versions(store.read(), found.id).await?;
            let version = versions.into_iter().find(|version| version.id == id).context("the package has gone")?;
            if !args.wait || version.state != PackageState::Queued {
                break (version.state, version.message.unwrap_or_default());
            }
            bar.step("the server verifies it", 0, 1);
            tokio::time::sleep(LOOK_EVERY).await;
        };
        store.close().await;
        Ok::<_, anyhow::Error>(outcome)
    })?;
    let mut out = std::io::stdout().lock();
    let slug = &read.package.slug;
    if args.json {
        writeln!(out, "{}", serde_json::json!({ "problem": slug, "state": state, "message": message }))?;
    } else {
        match state {
            PackageState::Queued => writeln!(out, "{slug}: offered; the judge publishes it when it is verified")?,
            PackageState::Ready => writeln!(out, "{slug}: published")?,
            PackageState::Refused => writeln!(out, "{slug}: refused\n{message}")?,
        }
    }
    Ok(ExitCode::from(u8::from(state == PackageState::Refused)))
}
