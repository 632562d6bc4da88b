//! The judge whose data folder a command works on.

use std::path::PathBuf;

use anyhow::{Context as _, bail};

use crate::config::{Config, Settings};
use crate::service::{Actor, Service};
use crate::store::Store;

/// Which judge, and how its answer is printed.
#[derive(Debug, Clone, clap::Args)]
pub struct JudgeData {
    /// Folder of the judge's data
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA", global = true)]
    data: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

impl JudgeData {
    /// Runs something with the judge's use cases. The judge must be there: a typing error in a path makes none.
    pub fn run<T>(&self, work: impl AsyncFnOnce(&Service) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let config = Config::new(Settings { data: self.data.clone(), ..Settings::default() }, 1)?;
        if !config.database().exists() {
            bail!("there is no judge in {}; name its folder with --data", config.data.display());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let store = Store::open(&config.database())
                .await
                .with_context(|| format!("the database {} can't be opened", config.database().display()))?;
            let service = Service::new(store.clone());
            let result = work(&service).await;
            store.close().await;
            result
        })
    }
}

/// For whom a command acts, where the act has an author.
#[derive(Debug, Clone, clap::Args)]
pub struct Acting {
    /// For whom; needed where there are several admins
    #[arg(long = "as", value_name = "ACCOUNT", global = true)]
    acting_for: Option<String>,
}

impl Acting {
    /// The account.
    pub async fn actor(&self, service: &Service) -> anyhow::Result<Actor> {
        Ok(service.stand_in(self.acting_for.as_deref()).await?)
    }
}
