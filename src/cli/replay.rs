//! A stored judgement made again, for `receipt verify` and `backup --verify`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;

use crate::domain::ids::JudgementId;
use crate::domain::verdict::Verdict;
use crate::judge::blob_cache::BlobCache;
use crate::judge::local::LocalSource;
use crate::judge::replay::{self, Difference};
use crate::judge::worker::Tools;
use crate::store::Store;
use crate::store::judgement::Judgement;

use super::workshop;

/// A workshop of this machine beside a database.
pub struct Replayer {
    source: Arc<LocalSource>,
    tools: Arc<Tools>,
    _folders: [tempfile::TempDir; 2],
}

/// What came of it.
#[derive(serde::Serialize)]
pub struct Replayed {
    /// The judgement.
    pub judgement: JudgementId,
    /// The verdict that is stored.
    pub stored: Option<Verdict>,
    /// The verdict now.
    pub now: Verdict,
    /// Parts that differ, the machine's own facts last.
    pub differences: Vec<Difference>,
}

impl Replayed {
    /// Whether the stored judgement still holds; facts about the machine don't count.
    pub fn holds(&self) -> bool {
        self.differences.iter().all(Difference::is_of_host)
    }
}

impl Replayer {
    /// Starts a sandbox and asks the compilers for their versions.
    pub fn open(store: Store, languages: Option<&Path>) -> anyhow::Result<Self> {
        let bench = workshop::open(languages)?;
        let folder =
            tempfile::Builder::new().prefix("touchstone-").tempdir().context("could not make a work folder")?;
        let cache = BlobCache::open(folder.path().join("blobs"))?;
        let (workshop, threads, programs) = bench.into_parts();
        let tools = Tools { workshop, cache, threads, patience: Duration::MAX };
        Ok(Self {
            source: Arc::new(LocalSource::new(store, "replay".to_owned())),
            tools: Arc::new(tools),
            _folders: [folder, programs],
        })
    }

    /// Makes a judgement again and compares.
    pub async fn replay(&self, judgement: &Judgement) -> anyhow::Result<Replayed> {
        let work = self.source.judge_work(judgement.id).await?;
        let outcome = replay::judge_again(&self.source, &self.tools, work).await?;
        let mut differences = Vec::new();
        let mut compare = |part: &str, stored: Option<String>, now: Option<String>| {
            if stored != now {
                differences.push(Difference { part: part.to_owned(), stored, now });
            }
        };
        compare("verdict", judgement.verdict.map(|verdict| verdict.to_string()), Some(outcome.verdict.to_string()));
        compare("score", judgement.score.map(|score| score.to_string()), outcome.score.map(|score| score.to_string()));
        compare(
            "deciding test",
            judgement.failed_ordinal.map(|number| number.to_string()),
            outcome.deciding.map(|number| number.to_string()),
        );
        let stored = judgement.receipt.as_deref().unwrap_or("{}");
        differences.extend(replay::compare_receipts(stored, &outcome.receipt));
        differences.sort_by_key(Difference::is_of_host);
        Ok(Replayed { judgement: judgement.id, stored: judgement.verdict, now: outcome.verdict, differences })
    }
}
