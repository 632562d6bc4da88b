//! Whether packages keep their promises: for setters and up, what was found and how far a look at it is.

use super::problems::ProblemError;
use super::{Actor, Service, record, require};
use crate::domain::account::Role;
use crate::domain::ids::VerificationId;
use crate::domain::time::EpochMs;
use crate::domain::verification::{ProgramResult, VerificationReport};
use crate::store::problem::Problem;
use crate::store::verification::{self, NewVerification, Verification};
use crate::store::{Names, StoreError, problem};

/// How many verifications of a problem are listed.
const LISTED: u32 = 20;

/// What a problem's verification page shows.
#[derive(Debug, Clone, PartialEq)]
pub struct VerificationPage {
    /// The problem.
    pub problem: Problem,
    /// Its names; empty while no version is ready.
    pub names: Names,
    /// The verification that was asked for, else the newest; `None` when there is none.
    pub shown: Option<Verification>,
    /// Its report, once there is one.
    pub report: Option<VerificationReport>,
    /// What its programs did, as far as they were judged.
    pub programs: Vec<ProgramResult>,
    /// All of them, newest first.
    pub history: Vec<Verification>,
}

impl Service {
    /// What was found out about a problem's package.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::NoSuchProblem`].
    pub async fn verification(
        &self,
        actor: &Actor,
        slug: &str,
        id: Option<VerificationId>,
    ) -> Result<VerificationPage, ProblemError> {
        require(actor, Role::Setter)?;
        let mut tx = self.store.snapshot().await?;
        let unknown = || ProblemError::NoSuchProblem(slug.to_owned());
        let problem = problem::by_slug(&mut *tx, slug).await?.ok_or_else(unknown)?;
        let history = verification::of_problem(&mut *tx, problem.id, LISTED).await?;
        let shown = match id {
            None => history.first(),
            Some(id) => history.iter().find(|one| one.id == id),
        };
        let shown = shown.cloned();
        let mut programs = Vec::new();
        if let Some(shown) = &shown {
            for result in verification::programs(&mut *tx, shown.id).await? {
                programs.push(read(&result)?);
            }
        }
        let report = shown.as_ref().and_then(|shown| shown.report.as_deref()).map(read).transpose()?;
        drop(tx);
        let names = problem::page(self.store.read(), slug).await?.map(|page| page.names).unwrap_or_default();
        Ok(VerificationPage { problem, names, shown, report, programs, history })
    }

    /// What the last verification that ended found out about a problem.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::NoSuchProblem`].
    pub async fn last_report(&self, actor: &Actor, slug: &str) -> Result<Option<VerificationReport>, ProblemError> {
        require(actor, Role::Setter)?;
        let found = problem::by_slug(self.store.read(), slug).await?;
        let problem = found.ok_or_else(|| ProblemError::NoSuchProblem(slug.to_owned()))?;
        let history = verification::of_problem(self.store.read(), problem.id, LISTED).await?;
        let report = history.iter().find_map(|one| one.report.as_deref());
        Ok(report.map(read).transpose()?)
    }

    /// Looks again at what is in force, behind all other work.
    ///
    /// # Errors
    /// [`ProblemError::Forbidden`] below setter, [`ProblemError::NoSuchProblem`], [`ProblemError::NothingInForce`].
    pub async fn verify_again(&self, actor: &Actor, slug: &str, now: EpochMs) -> Result<VerificationId, ProblemError> {
        require(actor, Role::Setter)?;
        let mut tx = self.store.begin_write().await?;
        let unknown = || ProblemError::NoSuchProblem(slug.to_owned());
        let problem = problem::by_slug(&mut *tx, slug).await?.ok_or_else(unknown)?;
        let (Some(package), Some(test_set)) = (problem.package_id, problem.test_set_id) else {
            return Err(ProblemError::NothingInForce(problem.slug));
        };
        let new = NewVerification { problem: problem.id, package, test_set: Some(test_set), decides: false };
        let id = verification::insert(&mut tx, new, now).await?;
        verification::queue(&mut tx, id, false, Some(actor.account_id), now).await?;
        record(&mut tx, Some(actor), "problem.verify", problem.slug.as_str(), None, None, now).await?;
        tx.commit().await?;
        Ok(id)
    }
}

/// What a worker wrote; a newer one may have written what this one can't read.
fn read<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|_| StoreError::RowMissing("verification that this version can read"))
}
