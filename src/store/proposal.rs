//! Tests that somebody adds by their input alone: a worker validates the input and the references answer it.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{int, text_enum};
use super::event::{self, EventKind, EventOp, NewEvent};
use super::job::{self, JobError, Lease, Work};
use super::package::{self, PackageFile};
use super::test_case::{self, NewTestCase, TestOrigin};
use super::test_change::free_name;
use super::{StoreError, WriteTx, problem, waiting_tests};
use crate::domain::hash::Sha256;
use crate::domain::ids::{AccountId, PackageId, ProblemId, ProposalId, TestSetId};
use crate::domain::limits::Limits;
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

/// The group of tests that are no samples, as in the package format.
const SECRET: &str = "secret";
/// The group of samples, as in the package format.
const SAMPLE: &str = "sample";

text_enum! {
    /// What became of a proposed test.
    pub enum ProposalState {
        /// A worker will look at it.
        Queued = "queued",
        /// It is a test of a version of the tests, which may still wait for its verification.
        Accepted = "accepted",
        /// It can't be a test; message and difference say why.
        Refused = "refused",
    }
}

/// A proposed test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Its id.
    pub id: ProposalId,
    /// The problem.
    pub problem_id: ProblemId,
    /// The name the test gets.
    pub name: String,
    /// The name of the test whose place it takes.
    pub replaces: Option<String>,
    /// The generator's command that makes the input.
    pub recipe: Option<String>,
    /// Hash of the input; `None` while its command was not run.
    pub input_sha256: Option<Sha256>,
    /// Size of the input, bytes.
    pub input_bytes: u64,
    /// Whether everybody may see it.
    pub sample: bool,
    /// What became of it.
    pub state: ProposalState,
    /// The validator's words, or why the references could not answer.
    pub message: Option<String>,
    /// Where two references disagree.
    pub difference: Option<String>,
    /// When it was offered.
    pub created: EpochMs,
    /// The login name of who offered it.
    pub created_by: String,
    /// The test set that has it, once accepted.
    pub test_set_id: Option<TestSetId>,
    /// Whether that is still to be verified, and counts only then.
    pub waits: bool,
}

/// A test to be proposed, by its input or by the command that makes it. The input's blob must be there.
#[derive(Debug, Clone, Copy)]
pub struct NewProposal<'a> {
    /// The problem.
    pub problem: ProblemId,
    /// The name the test gets.
    pub name: &'a str,
    /// The name of the test whose place it takes.
    pub replaces: Option<&'a str>,
    /// The generator's command that makes the input.
    pub recipe: Option<&'a str>,
    /// Hash of the input, unless a command makes it.
    pub input_sha256: Option<Sha256>,
    /// Its size, bytes.
    pub input_bytes: u64,
    /// Whether everybody may see it.
    pub sample: bool,
    /// By whom.
    pub created_by: AccountId,
}

/// Everything a worker needs to answer a proposed test; contents are blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposeTask {
    /// The proposal.
    pub proposal_id: ProposalId,
    /// The problem's name in addresses.
    pub problem_slug: Slug,
    /// The problem's current package: its validators and references. Name it again when accepting.
    pub package_id: PackageId,
    /// All its files.
    pub package_files: Vec<PackageFile>,
    /// JSON: what else its preparation wrote down.
    pub package_metadata: Option<String>,
    /// Limits of a run.
    pub limits: Limits,
    /// The name the test gets.
    pub name: String,
    /// Hash of the input, unless a command makes it.
    pub input_sha256: Option<Sha256>,
    /// The generator's command that makes the input.
    pub recipe: Option<String>,
}

/// Writes a proposal.
pub async fn insert(tx: &mut WriteTx, new: NewProposal<'_>, now: EpochMs) -> Result<ProposalId, StoreError> {
    let bytes = int(new.input_bytes);
    let id = sqlx::query_scalar!(
        r#"insert into test_proposal
            (problem_id, name, replaces, recipe, input_sha256, input_bytes, sample, state, created_ms, created_by)
        values (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?) returning id as "id!: ProposalId""#,
        new.problem,
        new.name,
        new.replaces,
        new.recipe,
        new.input_sha256,
        bytes,
        new.sample,
        now,
        new.created_by
    )
    .fetch_one(&mut **tx)
    .await?;
    let event = NewEvent::new(EventKind::Proposal, EventOp::Create, id.0).problem(new.problem);
    event::append(tx, event, now).await?;
    Ok(id)
}

/// The names of the tests that are proposed to a problem and wait to be answered.
pub async fn waiting_names(tx: &mut WriteTx, problem: ProblemId) -> Result<Vec<String>, StoreError> {
    let names =
        sqlx::query_scalar!("select name from test_proposal where problem_id = ? and state = 'queued'", problem)
            .fetch_all(&mut **tx)
            .await?;
    Ok(names)
}

/// The proposals of a problem, newest first.
pub async fn list(pool: &SqlitePool, problem: ProblemId, limit: u32) -> Result<Vec<Proposal>, StoreError> {
    let proposals = sqlx::query_as!(
        Proposal,
        r#"select t.id as "id!: _", t.problem_id as "problem_id: _", t.name, t.replaces, t.recipe,
            t.input_sha256 as "input_sha256: _", t.input_bytes as "input_bytes: _", t.sample as "sample: _", t.state as "state: _", t.message, t.difference,
            t.created_ms as "created: _", a.name as created_by, t.test_set_id as "test_set_id: _",
            coalesce((select s.waits from test_set s where s.id = t.test_set_id), 0) as "waits!: _"
        from test_proposal t join account a on a.id = t.created_by
        where t.problem_id = ? order by t.id desc limit ?"#,
        problem,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(proposals)
}

/// One proposal.
pub async fn by_id(executor: impl SqliteExecutor<'_>, id: ProposalId) -> Result<Option<Proposal>, StoreError> {
    let proposal = sqlx::query_as!(
        Proposal,
        r#"select t.id as "id!: _", t.problem_id as "problem_id: _", t.name, t.replaces, t.recipe,
            t.input_sha256 as "input_sha256: _", t.input_bytes as "input_bytes: _", t.sample as "sample: _", t.state as "state: _", t.message, t.difference,
            t.created_ms as "created: _", a.name as created_by, t.test_set_id as "test_set_id: _",
            coalesce((select s.waits from test_set s where s.id = t.test_set_id), 0) as "waits!: _"
        from test_proposal t join account a on a.id = t.created_by where t.id = ?"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(proposal)
}

/// Everything a worker needs to answer it.
pub async fn task(pool: &SqlitePool, id: ProposalId) -> Result<ProposeTask, StoreError> {
    let mut tx = pool.begin().await?;
    let row = sqlx::query!(
        r#"select p.slug as "slug: Slug", k.id as "package_id!: PackageId", k.metadata, k.cpu_ms as "cpu_ms!: u64",
            k.wall_ms as "wall_ms!: u64", k.memory_bytes as "memory_bytes!: u64", k.output_bytes as "output_bytes!: u64",
            k.processes as "processes!: u64", t.name, t.input_sha256 as "input_sha256: Sha256",
            t.recipe
        from test_proposal t join problem p on p.id = t.problem_id join package k on k.id = p.package_id
        where t.id = ?"#,
        id
    )
    .fetch_one(&mut *tx)
    .await?;
    Ok(ProposeTask {
        proposal_id: id,
        problem_slug: row.slug,
        package_id: row.package_id,
        package_files: package::files(&mut *tx, row.package_id).await?,
        package_metadata: row.metadata,
        limits: Limits {
            cpu_ms: row.cpu_ms,
            wall_ms: row.wall_ms,
            memory_bytes: row.memory_bytes,
            output_bytes: row.output_bytes,
            processes: row.processes,
        },
        name: row.name,
        input_sha256: row.input_sha256,
        recipe: row.recipe,
    })
}

/// The references' common answer to a proposed input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The package whose references answered.
    pub package_id: PackageId,
    /// Hash of the answer, whose blob must be there.
    pub sha256: Sha256,
    /// Its size, bytes.
    pub bytes: u64,
    /// JSON of the test's own configuration, e.g. the output validator's arguments; `{}` when there is none.
    pub config: String,
    /// What the command made, hash and bytes, where one makes the input. Its blob must be there.
    pub made: Option<(Sha256, u64)>,
}

/// The input is valid and answered: the problem gets a new test set, the newest tests and this one, or this one in the
/// place of another. It counts when it is verified. `None`: it is refused after all, since the tests changed meanwhile.
///
/// # Errors
/// [`JobError::LeaseLost`]; [`JobError::Outdated`] when the answer is another package's than the one in force.
pub async fn accept_proposal(
    tx: &mut WriteTx,
    lease: Lease,
    answer: Answer,
    now: EpochMs,
) -> Result<Option<TestSetId>, JobError> {
    let Work::Propose(id) = job::held(tx, lease).await? else { return Err(JobError::LeaseLost) };
    let proposal = by_id(&mut **tx, id).await?.ok_or(StoreError::RowMissing("proposal"))?;
    let problem = problem::by_id(&mut **tx, proposal.problem_id).await?.ok_or(StoreError::RowMissing("problem"))?;
    let (Some(package), Some(top)) = (problem.package_id, waiting_tests::top(&mut **tx, problem.id).await?) else {
        return Err(StoreError::RowMissing("package").into());
    };
    if package != answer.package_id {
        return Err(JobError::Outdated);
    }
    let (input_sha256, input_bytes) = match (answer.made, proposal.input_sha256) {
        (Some(made), _) => made,
        (None, Some(given)) => (given, proposal.input_bytes),
        (None, None) => return Err(StoreError::RowMissing("input").into()),
    };
    let mut tests: Vec<NewTestCase> =
        test_case::list(&mut **tx, top).await?.into_iter().map(NewTestCase::from).collect();
    let place = match &proposal.replaces {
        Some(name) => match tests.iter().position(|test| test.name == *name) {
            Some(place) => Some(place),
            None => return refuse(tx, lease, id, &format!("the test {name} was deleted meanwhile"), now).await,
        },
        None => None,
    };
    let same = tests.iter().enumerate().find(|(at, test)| Some(*at) != place && test.input_sha256 == input_sha256);
    if let Some((_, same)) = same {
        let message = format!("the test {} has the very same input", same.name);
        return refuse(tx, lease, id, &message, now).await;
    }
    let mut test = NewTestCase {
        name: proposal.name.clone(),
        group: if proposal.sample { SAMPLE } else { SECRET }.to_owned(),
        sample: proposal.sample,
        input_sha256,
        answer_sha256: answer.sha256,
        input_bytes,
        answer_bytes: answer.bytes,
        origin: TestOrigin::Added,
        recipe: proposal.recipe.clone(),
        config: answer.config,
    };
    let reason = if let Some(place) = place {
        // Its place, its group and who may see it stay.
        test.name.clone_from(&tests[place].name);
        test.group.clone_from(&tests[place].group);
        test.sample = tests[place].sample;
        tests[place] = test;
        format!("edited {}", proposal.name)
    } else {
        test.name = free_name(&proposal.name, tests.iter().map(|test| test.name.as_str()));
        tests.push(test);
        format!("added {}", proposal.name)
    };
    let created_by = sqlx::query_scalar!(r#"select created_by as "id: AccountId" from test_proposal where id = ?"#, id)
        .fetch_one(&mut **tx)
        .await?;
    let test_set = waiting_tests::put(tx, problem.id, package, &tests, &reason, created_by, now).await?;
    let bytes = int(input_bytes);
    sqlx::query!(
        "update test_proposal set state = 'accepted', decided_ms = ?, test_set_id = ?, input_sha256 = ?, input_bytes = ?
        where id = ?",
        now,
        test_set,
        input_sha256,
        bytes,
        id
    )
    .execute(&mut **tx)
    .await?;
    let event = NewEvent::new(EventKind::Proposal, EventOp::Update, id.0).problem(problem.id);
    event::append(tx, event, now).await?;
    job::done(tx, lease).await?;
    waiting_tests::verify_top(tx, problem.id, now).await?;
    Ok(Some(test_set))
}

async fn refuse(
    tx: &mut WriteTx,
    lease: Lease,
    id: ProposalId,
    message: &str,
    now: EpochMs,
) -> Result<Option<TestSetId>, JobError> {
    job::done(tx, lease).await?;
    close_refused(tx, id, message, None, now).await?;
    Ok(None)
}

/// The input can't be a test, and why.
///
/// # Errors
/// [`JobError::LeaseLost`].
pub async fn refuse_proposal(
    tx: &mut WriteTx,
    lease: Lease,
    message: &str,
    difference: Option<&str>,
    now: EpochMs,
) -> Result<(), JobError> {
    let Work::Propose(id) = job::done(tx, lease).await? else { return Err(JobError::LeaseLost) };
    close_refused(tx, id, message, difference, now).await?;
    Ok(())
}

pub(super) async fn close_refused(
    tx: &mut WriteTx,
    id: ProposalId,
    message: &str,
    difference: Option<&str>,
    now: EpochMs,
) -> Result<(), StoreError> {
    let problem = sqlx::query_scalar!(
        r#"update test_proposal set state = 'refused', message = ?, difference = ?, decided_ms = ? where id = ?
        returning problem_id as "id: ProblemId""#,
        message,
        difference,
        now,
        id
    )
    .fetch_one(&mut **tx)
    .await?;
    let event = NewEvent::new(EventKind::Proposal, EventOp::Update, id.0).problem(problem);
    event::append(tx, event, now).await?;
    // The tests that were answered before it may have waited for it.
    waiting_tests::verify_top(tx, problem, now).await
}
