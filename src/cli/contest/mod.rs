//! `touchstone contest`: contests from the command line, one file a group of subcommands.

mod export;
mod settings;
mod step;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::config::{Config, Settings};
use crate::service::Service;
use crate::store::Store;

#[derive(Debug, clap::Subcommand)]
pub enum ContestCommand {
    List(settings::ListArgs),
    Create(settings::CreateArgs),
    Clone(settings::CloneArgs),
    Edit(settings::EditArgs),
    Problems(settings::ProblemsArgs),
    Teams(settings::TeamsArgs),
    Start(step::StartArgs),
    /// Let a contest's clock stand still
    Pause(step::StepArgs),
    /// Let a paused contest go on; what was lost is added
    Resume(step::StepArgs),
    Extend(step::ExtendArgs),
    /// End a contest now
    End(step::StepArgs),
    /// Make a contest's result final; refused while anything is undecided
    Finalize(step::StepArgs),
    /// Open a contest's frozen board for all
    Thaw(step::StepArgs),
    Export(export::ExportArgs),
}

/// Where the judge is.
#[derive(Debug, clap::Args)]
pub struct Data {
    /// Folder of the judge's data
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA")]
    data: Option<PathBuf>,
}

impl Data {
    /// Its use cases. A server may run beside: it sees what is changed.
    async fn service(&self) -> anyhow::Result<Service> {
        let config = Config::new(Settings { data: self.data.clone(), ..Settings::default() }, 1)?;
        let file = config.database();
        if !file.exists() {
            bail!("there is no judge in {}; name its folder with --data", config.data.display());
        }
        let store = Store::open(&file).await;
        Ok(Service::new(store.with_context(|| format!("the database {} can't be opened", file.display()))?))
    }
}

pub fn run(command: ContestCommand) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match command {
            ContestCommand::List(args) => settings::list(&args).await?,
            ContestCommand::Create(args) => settings::create(&args).await?,
            ContestCommand::Clone(args) => settings::copy(&args).await?,
            ContestCommand::Edit(args) => settings::edit(&args).await?,
            ContestCommand::Problems(args) => settings::problems(&args).await?,
            ContestCommand::Teams(args) => settings::teams(&args).await?,
            ContestCommand::Start(args) => step::start(&args).await?,
            ContestCommand::Pause(args) => step::pause(&args).await?,
            ContestCommand::Resume(args) => step::resume(&args).await?,
            ContestCommand::Extend(args) => step::extend(&args).await?,
            ContestCommand::End(args) => step::end(&args).await?,
            ContestCommand::Finalize(args) => step::finalize(&args).await?,
            ContestCommand::Thaw(args) => step::thaw(&args).await?,
            ContestCommand::Export(args) => export::run(&args).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}
