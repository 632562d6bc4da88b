//! Offering packages. A worker prepares them; a problem is published when its references agree.

use super::{Actor, Forbidden, Service, record, require};
use crate::domain::account::Role;
use crate::domain::hash::Sha256;
use crate::domain::ids::PackageId;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;
use crate::store::blob::Blob;
use crate::store::job::{self, PRIORITY_PREPARE, Work};
use crate::store::package::{PackageFile, PackageState};
use crate::store::problem::ProblemState;
use crate::store::{StoreError, WriteTx, blob, contest, package, problem};

/// The largest package, bytes.
const MAX_PACKAGE_BYTES: usize = 512 * 1024 * 1024;

/// A file of a package that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFile {
    /// Relative to the package's folder, with `/`.
    pub path: String,
    /// Its contents.
    pub contents: Vec<u8>,
    /// Whether an execute bit was set.
    pub executable: bool,
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
        bytes: usize,
    },
    /// Twice the same path, or one that leaves the folder.
    #[error("the package's file name `{0}` can't be used: it is there twice, or leaves the folder")]
    BadPath(String),
    /// It has no version that is ready.
    #[error("the problem `{0}` has no version that is ready")]
    NotReady(Slug),
    /// Our fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// Offers a version of a problem's package; `None` is the judge itself or the command line. The problem is made
    /// when it is new. A version that was refused before is tried again.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::BadPath`], [`ProblemError::Empty`],
    /// [`ProblemError::TooLarge`].
    pub async fn offer_package(
        &self,
        actor: Option<&Actor>,
        slug: &Slug,
        mut files: Vec<OfferedFile>,
        now: EpochMs,
    ) -> Result<Offer, ProblemError> {
        actor.map_or(Ok(()), |actor| require(actor, Role::Setter))?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        check(&files)?;
        let (tree, files) = prepare(files).await?;
        if let Some(offer) = self.known(slug, tree).await? {
            return Ok(offer);
        }
        let mut tx = self.store.begin_write().await?;
        let offer = queue(&mut tx, actor, slug, tree, &files, now).await?;
        if let Some(actor) = actor {
            let tree = tree.to_string();
            record(&mut tx, Some(actor), "package.offer", slug.as_str(), None, Some(&tree), now).await?;
        }
        tx.commit().await?;
        Ok(offer)
    }

    /// Makes the practice contest and offers the packages that come with the program: on every start.
    ///
    /// # Errors
    /// As [`Service::offer_package`].
    pub async fn ensure_builtin(
        &self,
        packages: Vec<(Slug, Vec<OfferedFile>)>,
        now: EpochMs,
    ) -> Result<(), ProblemError> {
        let mut tx = self.store.begin_write().await?;
        contest::ensure_practice(&mut tx, now).await?;
        tx.commit().await?;
        for (slug, files) in packages {
            self.offer_package(None, &slug, files, now).await?;
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

fn check(files: &[OfferedFile]) -> Result<(), ProblemError> {
    if files.is_empty() {
        return Err(ProblemError::Empty);
    }
    let bytes = files.iter().map(|file| file.contents.len()).sum();
    if bytes > MAX_PACKAGE_BYTES {
        return Err(ProblemError::TooLarge { bytes });
    }
    let twice = files.windows(2).find(|pair| pair[0].path == pair[1].path).map(|pair| &pair[0].path);
    let leaves =
        |path: &str| path.split('/').any(|part| matches!(part, "" | "." | "..")) || path.contains(['\0', '\\']);
    match twice.or_else(|| files.iter().map(|file| &file.path).find(|path| leaves(path))) {
        Some(path) => Err(ProblemError::BadPath(path.clone())),
        None => Ok(()),
    }
}

/// Hashes and packs the files, which are in path order, before any transaction.
async fn prepare(files: Vec<OfferedFile>) -> Result<(Sha256, Vec<(PackageFile, Blob)>), StoreError> {
    let mut prepared = Vec::with_capacity(files.len());
    for file in files {
        let blob = Blob::prepare(file.contents).await?;
        let row =
            PackageFile { path: file.path, sha256: blob.sha256(), bytes: blob.bytes(), executable: file.executable };
        prepared.push((row, blob));
    }
    let tree = Sha256::of_parts(prepared.iter().flat_map(|(file, _)| {
        let mode: &[u8] = if file.executable { b"x" } else { b"-" };
        [("path", file.path.as_bytes()), ("mode", mode), ("contents", file.sha256.as_bytes().as_slice())]
    }));
    Ok((tree, prepared))
}

async fn queue(
    tx: &mut WriteTx,
    actor: Option<&Actor>,
    slug: &Slug,
    tree: Sha256,
    files: &[(PackageFile, Blob)],
    now: EpochMs,
) -> Result<Offer, StoreError> {
    let problem = match problem::by_slug(&mut **tx, slug.as_str()).await? {
        Some(problem) => problem.id,
        None => problem::insert(tx, slug, now).await?,
    };
    let owner = actor.map(|actor| actor.account_id);
    let id = match package::by_tree(&mut **tx, problem, tree).await? {
        Some(known) if known.state != PackageState::Refused => return Ok(Offer::Known(known.id)),
        Some(refused) => {
            package::requeue(tx, refused.id).await?;
            refused.id
        }
        None => {
            for (_, blob) in files {
                blob::insert(tx, blob).await?;
            }
            let rows: Vec<PackageFile> = files.iter().map(|(file, _)| file.clone()).collect();
            package::insert(tx, problem, tree, &rows, owner, now).await?
        }
    };
    job::queue(tx, Work::Prepare(id), PRIORITY_PREPARE, owner, now).await?;
    Ok(Offer::Queued(id))
}
