//! Offering packages. A worker prepares and verifies them; a problem is published when its package keeps every promise.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::incoming::{Incoming, Slice};
use super::{Actor, Forbidden, Service, record, require};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, PackageId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::package::{ManifestEntry, Package, PackageError, PackageTree, TreeError, ZipCaps};
use crate::store::job::{self, PRIORITY_PREPARE, Work};
use crate::store::package::{PackageFile, PackageState};
use crate::store::problem::ProblemState;
use crate::store::verification::{self, NewVerification};
use crate::store::{StoreError, WriteTx, contest, package, problem};

/// The largest package, bytes: what it unpacks to.
pub const MAX_PACKAGE_BYTES: u64 = 2 << 30;
/// The largest zip of a package that is taken, bytes.
pub const MAX_ZIP_BYTES: usize = 512 << 20;

/// A file of a package that is offered from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFile {
    /// Relative to the package's folder, with `/`.
    pub path: String,
    /// Its contents.
    pub contents: Vec<u8>,
}

/// A zip of a package.
#[derive(Debug)]
pub struct OfferedZip {
    /// The zip.
    pub file: Slice,
    /// What it is called where it came from: names the problem, if nothing better does.
    pub name: String,
    /// The problem's short name; empty: the folder in the zip says it, else the zip's own name.
    pub slug: String,
}

/// When a package is put in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publish {
    /// When every promise of it is kept.
    WhenVerified,
    /// When its references agree: its promises were looked at before it came here. They are looked at again later.
    AtOnce,
}

/// What became of an offered package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// A worker will prepare it.
    Queued(PackageId),
    /// The problem has this very package already, or is preparing it.
    Known(PackageId),
}

/// Why a problem could not be offered or changed. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// The role doesn't allow it.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// No such problem.
    #[error("there is no problem `{0}`")]
    NoSuchProblem(String),
    /// Nothing in it.
    #[error("the package has no files")]
    Empty,
    /// Too large.
    #[error("the package has {bytes} bytes; at most {MAX_PACKAGE_BYTES} are taken")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// Its files can't be used: a name that is there twice or leaves the folder, a broken zip.
    #[error(transparent)]
    Files(#[from] TreeError),
    /// It is no valid package; a sentence for each thing that is wrong.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// Nothing usable names the problem.
    #[error("`{0}` can't be a problem's short name; it has lower-case letters, digits and `-`")]
    BadSlug(String),
    /// Nothing of it is in force.
    #[error("nothing of the problem `{0}` is in force, so there is nothing to verify")]
    NothingInForce(Slug),
    /// No such version.
    #[error("there is no version {0}")]
    NoSuchVersion(u64),
    /// Somebody else put another version in force meanwhile.
    #[error("another version is in force meanwhile: version {version} was edited, version {in_force} is in force")]
    Changed {
        /// The version that was edited.
        version: u64,
        /// The version in force.
        in_force: u64,
    },
    /// A version waits for its verification already, or is in force.
    #[error("a version is being prepared or is in force already; wait for it")]
    UnderWay,
    /// A version with this very content is there.
    #[error("a version with this very content is there already; put it in force again instead")]
    KnownVersion,
    /// Nothing was changed.
    #[error("nothing was changed")]
    SameAsBefore,
    /// The text can't be used.
    #[error("a statement has 1 to {} bytes", super::problem_versions::MAX_STATEMENT)]
    BadStatement,
    /// It is not written in Markdown.
    #[error("the statement is not written in Markdown; change the package instead")]
    NoMarkdown,
    /// The limits can't be used.
    #[error("a time limit is at most 600 seconds, a memory limit at most 65536 MiB")]
    BadLimits,
    /// The settings can't be changed line by line.
    #[error("problem.yaml can't be changed line by line; change the package instead")]
    SettingsByHand,
    /// A tolerance can't be used.
    #[error("a tolerance is a decimal number of at least 0, as in 1e-6")]
    BadTolerance,
    /// The default checker has no say.
    #[error("the package has a checker of its own; change the package instead")]
    OwnChecker,
    /// Nobody could hand anything in.
    #[error("choose at least one language, or all")]
    NoLanguage,
    /// There is one.
    #[error("there is a problem `{0}` already")]
    Exists(Slug),
    /// Our fault.
    #[error("no randomness: {0}")]
    Random(#[from] getrandom::Error),
    /// It has no version that is ready.
    #[error("the problem `{0}` has no version that is ready")]
    NotReady(Slug),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Offers a version of a problem's package from memory; see [`Service::offer_tree`].
    ///
    /// # Errors
    /// As [`Service::offer_tree`].
    pub async fn offer_package(
        &self,
        actor: Option<&Actor>,
        slug: &Slug,
        files: Vec<OfferedFile>,
        now: EpochMs,
    ) -> Result<Offer, ProblemError> {
        self.offer_tree(actor, slug, tree_of(files)?, Publish::WhenVerified, now).await
    }

    /// Unpacks a zip below `scratch`, looks at all of it, and offers it. Nothing of it is held in memory but names.
    ///
    /// # Errors
    /// As [`Service::offer_tree`], and [`ProblemError::Package`], [`ProblemError::BadSlug`].
    pub async fn offer_zip(
        &self,
        actor: Option<&Actor>,
        zip: OfferedZip,
        scratch: &Path,
        now: EpochMs,
    ) -> Result<(Slug, Offer), ProblemError> {
        actor.map_or(Ok(()), |actor| require(actor, Role::Setter))?;
        let scratch = scratch.to_owned();
        let (slug, tree) = off_thread(move || read_zip(zip, &scratch)).await??;
        let offer = self.offer_tree(actor, &slug, tree, Publish::WhenVerified, now).await?;
        Ok((slug, offer))
    }

    /// Offers a version of a problem's package; `None` is the judge itself or the command line. The problem is made
    /// when it is new. A version that was refused before is tried again.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::Empty`], [`ProblemError::TooLarge`],
    /// [`ProblemError::Files`].
    pub async fn offer_tree(
        &self,
        actor: Option<&Actor>,
        slug: &Slug,
        tree: PackageTree,
        publish: Publish,
        now: EpochMs,
    ) -> Result<Offer, ProblemError> {
        actor.map_or(Ok(()), |actor| require(actor, Role::Setter))?;
        let bytes = tree.paths().filter_map(|path| tree.size(path)).sum();
        if tree.paths().next().is_none() {
            return Err(ProblemError::Empty);
        }
        if bytes > MAX_PACKAGE_BYTES {
            return Err(ProblemError::TooLarge { bytes });
        }
        let (tree, manifest) =
            off_thread(move || tree.manifest().map(|manifest| (tree, manifest))).await?.map_err(StoreError::from)?;
        let digest = digest(&manifest);
        if let Some(offer) = self.known(slug, digest).await? {
            return Ok(offer);
        }
        let tree = Arc::new(tree);
        let contents = manifest.iter().map(|it| (it.sha256, Incoming::unpacked(Arc::clone(&tree), it.path.clone())));
        self.keep(&contents.collect::<Vec<_>>()).await?;
        let mut tx = self.store.begin_write().await?;
        let offer = queue(&mut tx, actor, slug, digest, manifest, publish, now).await?;
        if let Some(actor) = actor {
            let digest = digest.to_string();
            record(&mut tx, Some(actor), "package.offer", slug.as_str(), None, Some(&digest), now).await?;
        }
        tx.commit().await?;
        Ok(offer)
    }

    /// Makes the practice contest and offers the packages that come with the program, whose promises are looked at before
    /// it is made: on every start.
    ///
    /// # Errors
    /// As [`Service::offer_tree`].
    pub async fn ensure_builtin(
        &self,
        packages: Vec<(Slug, Vec<OfferedFile>)>,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        let mut tx = self.store.begin_write().await?;
        contest::ensure_practice(&mut tx, now).await?;
        tx.commit().await?;
        for (slug, files) in packages {
            self.offer_tree(None, &slug, tree_of(files)?, Publish::AtOnce, now).await?;
        }
        Ok(())
    }

    /// Takes a published problem out of the lists, or puts it back; its submissions stay.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below admin, [`ProblemError::NoSuchProblem`], [`ProblemError::NotReady`].
    pub async fn set_withdrawn(
        &self,
        actor: &Actor,
        slug: &str,
        withdrawn: bool,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        require(actor, Role::Admin)?;
        let mut tx = self.store.begin_write().await?;
        let found = problem::by_slug(&mut *tx, slug).await?;
        let problem = found.ok_or_else(|| ProblemError::NoSuchProblem(slug.to_owned()))?;
        if problem.package_id.is_none() {
            return Err(ProblemError::NotReady(problem.slug));
        }
        let state = if withdrawn { ProblemState::Withdrawn } else { ProblemState::Published };
        problem::set_state(&mut tx, problem.id, state, now).await?;
        let (before, after) = (Some(problem.state.as_str()), Some(state.as_str()));
        record(&mut tx, Some(actor), "problem.state", problem.slug.as_str(), before, after, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Spares the write transaction when nothing is new: the usual start.
    async fn known(&self, slug: &Slug, tree: Sha256) -> Result<Option<Offer>, StoreError> {
        let Some(problem) = problem::by_slug(self.store.read(), slug.as_str()).await? else { return Ok(None) };
        let known = package::by_tree(self.store.read(), problem.id, tree).await?;
        Ok(known.filter(|known| known.state != PackageState::Refused).map(|known| Offer::Known(known.id)))
    }
}

/// What ends with the program, or panics, is no other's.
pub(super) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work)).await.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => StoreError::Stopping,
    })
}

fn tree_of(files: Vec<OfferedFile>) -> Result<PackageTree, TreeError> {
    PackageTree::from_files(files.into_iter().map(|file| (file.path, Cow::Owned(file.contents))))
}

fn read_zip(zip: OfferedZip, scratch: &Path) -> Result<(Slug, PackageTree), ProblemError> {
    let caps = ZipCaps { total_bytes: MAX_PACKAGE_BYTES, ..ZipCaps::default() };
    let unpacked = PackageTree::from_zip(zip.file, scratch, caps)?;
    let stem = zip.name.rsplit_once('.').map_or(zip.name.as_str(), |(stem, _)| stem);
    let given = Some(zip.slug.as_str()).filter(|slug| !slug.is_empty());
    let name = given.or(unpacked.top.as_deref()).unwrap_or(stem);
    let slug: Slug = name.parse().map_err(|_| ProblemError::BadSlug(name.to_owned()))?;
    let (package, _) = Package::read(&unpacked.tree, &slug)?;
    package.check_supported()?;
    Ok((slug, unpacked.tree))
}

/// One digest for a version of a package: over every path, mode and contents.
pub(super) fn digest(manifest: &[ManifestEntry]) -> Sha256 {
    Sha256::of_parts(manifest.iter().flat_map(|file| {
        let mode: &[u8] = if file.executable { b"x" } else { b"-" };
        [("path", file.path.as_str().as_bytes()), ("mode", mode), ("contents", file.sha256.as_bytes().as_slice())]
    }))
}

/// Makes a version of it and queues its preparation, unless the problem has that version.
pub(super) async fn queue(
    tx: &mut WriteTx,
    actor: Option<&Actor>,
    slug: &Slug,
    tree: Sha256,
    manifest: Vec<ManifestEntry>,
    publish: Publish,
    now: EpochMs,
) -> Result<Offer, StoreError> {
    let problem = match problem::by_slug(&mut **tx, slug.as_str()).await? {
        Some(problem) => problem.id,
        None => problem::insert(tx, slug, now).await?,
    };
    let owner: Option<AccountId> = actor.map(|actor| actor.account_id);
    let id = match package::by_tree(&mut **tx, problem, tree).await? {
        Some(known) if known.state != PackageState::Refused => return Ok(Offer::Known(known.id)),
        Some(refused) => {
            package::requeue(tx, refused.id).await?;
            refused.id
        }
        None => {
            let rows = manifest.into_iter().map(|file| PackageFile {
                path: file.path.to_string(),
                sha256: file.sha256,
                bytes: file.size,
                executable: file.executable,
            });
            package::insert(tx, problem, tree, &rows.collect::<Vec<_>>(), owner, now).await?
        }
    };
    let decides = publish == Publish::WhenVerified;
    verification::insert(tx, NewVerification { problem, package: id, test_set: None, decides }, now).await?;
    job::queue(tx, Work::Prepare(id), PRIORITY_PREPARE, owner, now).await?;
    Ok(Offer::Queued(id))
}
