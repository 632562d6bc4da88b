//! Versions of problems: who changed what and when, an older one again, another statement, other limits. Whatever changes a
//! package makes its next version, which a worker prepares and verifies before it is in force.

use super::problems::{ProblemError, digest, queue};
use super::{Actor, Publish, Service, record, require};
use crate::domain::account::Role;
use crate::domain::ids::PackageId;
use crate::domain::time::EpochMs;
use crate::package::{ManifestEntry, with_limit};
use crate::store::blob::Blob;
use crate::store::job::{self, PRIORITY_PREPARE, Work};
use crate::store::package::{PackageFile, PackageState, StatementFormat, Version};
use crate::store::problem::Problem;
use crate::store::test_case::TestSet;
use crate::store::verification::{self, NewVerification};
use crate::store::{StoreError, blob, package, problem, test_case};

/// The longest statement that can be written in the browser, bytes.
pub const MAX_STATEMENT: usize = 256 * 1024;
/// The file with a problem's settings.
pub(super) const SETTINGS: &str = "problem.yaml";

/// The versions of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The problem.
    pub problem: Problem,
    /// Of its package, newest first.
    pub packages: Vec<Version>,
    /// Of its tests, newest first.
    pub tests: Vec<TestSet>,
}

impl History {
    /// The number of the package's version in force; 0: none is.
    pub fn in_force(&self) -> u64 {
        self.packages.iter().find(|one| Some(one.id) == self.problem.package_id).map_or(0, |one| one.version)
    }
}

impl Service {
    /// Who changed what of a problem.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::NoSuchProblem`].
    pub async fn problem_history(&self, actor: &Actor, slug: &str) -> Result<History, ProblemError> {
        require(actor, Role::Setter)?;
        let found = problem::by_slug(self.store.read(), slug).await?;
        let problem = found.ok_or_else(|| ProblemError::NoSuchProblem(slug.to_owned()))?;
        Ok(History {
            packages: package::history(self.store.read(), problem.id).await?,
            tests: test_case::sets(self.store.read(), problem.id).await?,
            problem,
        })
    }

    /// Prepares and verifies an older version again, so that it comes into force. `current` is the version in force that
    /// the editor saw.
    ///
    /// # Errors
    /// [`ProblemError`]: every variant but `Store` is for the form.
    pub async fn restore_package(
        &self,
        actor: &Actor,
        slug: &str,
        version: u64,
        current: u64,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        require(actor, Role::Setter)?;
        let mut tx = self.store.begin_write().await?;
        let found = problem::by_slug(&mut *tx, slug).await?;
        let problem = found.ok_or_else(|| ProblemError::NoSuchProblem(slug.to_owned()))?;
        let versions = package::history(&mut *tx, problem.id).await?;
        let in_force = versions.iter().find(|one| Some(one.id) == problem.package_id).map_or(0, |one| one.version);
        if in_force != current {
            return Err(ProblemError::Changed { version: current, in_force });
        }
        let wanted = versions.iter().find(|one| one.version == version);
        let wanted = wanted.ok_or(ProblemError::NoSuchVersion(version))?;
        let waits = verification::is_deciding(&mut tx, problem.id).await?;
        if Some(wanted.id) == problem.package_id || wanted.state == PackageState::Queued || waits {
            return Err(ProblemError::UnderWay);
        }
        let new = NewVerification { problem: problem.id, package: wanted.id, test_set: None, decides: true };
        verification::insert(&mut tx, new, now).await?;
        job::queue(&mut tx, Work::Prepare(wanted.id), PRIORITY_PREPARE, Some(actor.account_id), now).await?;
        let (before, after) = (format!("version {current}"), format!("version {version}"));
        let (before, after) = (Some(before.as_str()), Some(after.as_str()));
        record(&mut tx, Some(actor), "problem.restore", problem.slug.as_str(), before, after, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Offers the package in force with another text of the Markdown statement in this language. `current` is the version
    /// that the editor saw.
    ///
    /// # Errors
    /// [`ProblemError`]: every variant but `Store` is for the form.
    pub async fn edit_statement(
        &self,
        actor: &Actor,
        slug: &str,
        language: &str,
        current: u64,
        text: &str,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        require(actor, Role::Setter)?;
        if text.trim().is_empty() || text.len() > MAX_STATEMENT {
            return Err(ProblemError::BadStatement);
        }
        let (problem, id) = self.in_force(slug, current).await?;
        let statements = package::statements(self.store.read(), id).await?;
        let markdown = |statement: &&package::Statement| statement.format == StatementFormat::Markdown;
        let here = statements.iter().filter(markdown).find(|statement| statement.language == language);
        // A statement of a new language lies beside one that is there.
        let path = match (here, statements.iter().find(markdown)) {
            (Some(here), _) => here.path.clone(),
            (None, Some(other)) if matches!(language, "en" | "zh") => {
                let folder = other.path.rsplit_once('/').map_or("statement", |(folder, _)| folder);
                let stem = other.path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or("problem");
                format!("{folder}/{stem}.{language}.md")
            }
            _ => return Err(ProblemError::NoMarkdown),
        };
        let change = Change { act: "problem.statement", path, contents: text.as_bytes().to_vec() };
        self.offer_changed(actor, &problem, id, change, now).await
    }

    /// Offers the package in force with other limits: cpu, milliseconds, and memory, MiB. `current` is the version that
    /// the editor saw.
    ///
    /// # Errors
    /// [`ProblemError`]: every variant but `Store` is for the form.
    pub async fn set_limits(
        &self,
        actor: &Actor,
        slug: &str,
        current: u64,
        (cpu_ms, memory_mib): (u64, u64),
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        require(actor, Role::Setter)?;
        if !(1..=600_000).contains(&cpu_ms) || !(1..=65_536).contains(&memory_mib) {
            return Err(ProblemError::BadLimits);
        }
        let (problem, id) = self.in_force(slug, current).await?;
        let file = package::file(self.store.read(), id, SETTINGS).await?.ok_or(StoreError::RowMissing(SETTINGS))?;
        let settings = blob::read(self.store.read(), file.sha256).await?;
        let seconds = format!("{}.{:03}", cpu_ms / 1_000, cpu_ms % 1_000);
        let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
        let changed = with_limit(&settings, "time_limit", seconds)
            .and_then(|settings| with_limit(&settings, "memory", &memory_mib.to_string()));
        let contents = changed.ok_or(ProblemError::SettingsByHand)?;
        if contents == settings {
            return Err(ProblemError::SameAsBefore);
        }
        let change = Change { act: "problem.limits", path: SETTINGS.to_owned(), contents };
        self.offer_changed(actor, &problem, id, change, now).await
    }

    pub(super) async fn in_force(&self, slug: &str, current: u64) -> Result<(Problem, PackageId), ProblemError> {
        let found = problem::by_slug(self.store.read(), slug).await?;
        let problem = found.ok_or_else(|| ProblemError::NoSuchProblem(slug.to_owned()))?;
        let Some(id) = problem.package_id else { return Err(ProblemError::NotReady(problem.slug)) };
        let versions = package::history(self.store.read(), problem.id).await?;
        let in_force = versions.iter().find(|one| one.id == id).map_or(0, |one| one.version);
        if in_force != current {
            return Err(ProblemError::Changed { version: current, in_force });
        }
        Ok((problem, id))
    }

    pub(super) async fn offer_changed(
        &self,
        actor: &Actor,
        problem: &Problem,
        id: PackageId,
        change: Change,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        let blob = Blob::prepare(change.contents).await?;
        let mut tx = self.store.begin_write().await?;
        // Whoever put another version in force while this was written is not overwritten.
        let now_in_force = problem::by_id(&mut *tx, problem.id).await?.and_then(|problem| problem.package_id);
        if now_in_force != Some(id) {
            return Err(ProblemError::UnderWay);
        }
        if verification::is_deciding(&mut tx, problem.id).await? {
            return Err(ProblemError::UnderWay);
        }
        let mut files = package::files(&mut *tx, id).await?;
        let before = if let Some(file) = files.iter_mut().find(|file| file.path == change.path) {
            let before = file.sha256.to_string();
            (file.sha256, file.bytes) = (blob.sha256(), blob.bytes());
            before
        } else {
            let (path, sha256, bytes) = (change.path.clone(), blob.sha256(), blob.bytes());
            files.push(PackageFile { path, sha256, bytes, executable: false });
            files.sort_by(|a, b| a.path.cmp(&b.path));
            String::new()
        };
        if before == blob.sha256().to_string() {
            return Err(ProblemError::SameAsBefore);
        }
        blob::insert(&mut tx, &blob).await?;
        let manifest: Vec<ManifestEntry> = files
            .into_iter()
            .map(|file| {
                let path = file.path.parse().map_err(|_| StoreError::RowMissing("path that can be read"))?;
                Ok(ManifestEntry { path, size: file.bytes, sha256: file.sha256, executable: file.executable })
            })
            .collect::<Result<_, StoreError>>()?;
        let tree = digest(&manifest);
        if let super::problems::Offer::Known(_) =
            queue(&mut tx, Some(actor), &problem.slug, tree, manifest, Publish::WhenVerified, now).await?
        {
            return Err(ProblemError::KnownVersion);
        }
        let after = format!("{} {}", change.path, blob.sha256());
        let before = Some(before.as_str()).filter(|before| !before.is_empty());
        record(&mut tx, Some(actor), change.act, problem.slug.as_str(), before, Some(&after), now).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// A file of the package with other contents.
pub(super) struct Change {
    /// What the log calls it.
    pub act: &'static str,
    /// Relative to the package's folder.
    pub path: String,
    /// The new contents.
    pub contents: Vec<u8>,
}
