//! How problems' limits fit the kinds of machines that judge.
//!
//! A kind is measured on a problem when one of its machines would be the next to judge it: the machine then runs the package's
//! own programs first, as a verification that decides nothing but this. What an ordinary verification found out counts as
//! well, for the kind of machine that made it. Must not know: what makes a kind, when a limit fits.

use sqlx::{SqliteExecutor, SqlitePool};

use super::codec::{int, text_enum};
use super::job::{self, JobError, Lease, PRIORITY_MEASURE, Work};
use super::verification::Verification;
use super::{StoreError, WriteTx, setting, verification_end};
use crate::domain::hash::Sha256;
use crate::domain::ids::{JobId, PackageId, ProblemId, TestSetId, VerificationId};
use crate::domain::slug::Slug;
use crate::domain::time::EpochMs;

/// Under which the server's own kind is stored.
const OWN_KIND: &str = "own_kind";
/// A machine that wasn't heard for so long is gone, milliseconds.
const GONE_AFTER_MS: i64 = 600_000;

text_enum! {
    /// How a limit fits a kind.
    pub enum FitState {
        /// One of its machines finds it out.
        Measuring = "measuring",
        /// Its machines may judge the problem.
        Fits = "fits",
        /// The accepted programs have less room than they are promised.
        TooSlow = "too_slow",
        /// Programs that must be too slow are not surely cut off.
        TooFast = "too_fast",
        /// A reference isn't accepted there.
        NotAccepted = "not_accepted",
        /// It could not be found out.
        NotMeasured = "not_measured",
    }
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// How the limit fits.
    pub state: FitState,
    /// The limit, milliseconds.
    pub limit_ms: u64,
    /// The least that the accepted programs ask for, milliseconds.
    pub least_ms: u64,
    /// The most that the too slow ones allow, milliseconds.
    pub most_ms: Option<u64>,
}

/// The tests of a package that a problem is judged with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// Its problem.
    pub problem: ProblemId,
    /// The package.
    pub package: PackageId,
    /// The tests.
    pub tests: TestSetId,
}

/// A problem that a kind of machine doesn't judge, or not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The kind.
    pub kind: Sha256,
    /// The problem.
    pub problem: Slug,
    /// Why.
    pub state: FitState,
    /// The limit that it was measured by, milliseconds.
    pub limit_ms: Option<u64>,
    /// The least that the accepted programs ask for there, milliseconds.
    pub least_ms: Option<u64>,
    /// The most that the too slow ones allow there, milliseconds.
    pub most_ms: Option<u64>,
}

/// Says what kind of machine the server itself is.
pub async fn set_own_kind(tx: &mut WriteTx, kind: &Sha256) -> Result<(), StoreError> {
    setting::set(tx, OWN_KIND, &kind.to_string()).await
}

/// Queues the measuring of a kind. Only a machine of that kind can claim it, and it makes way for nothing.
pub(super) async fn begin(tx: &mut WriteTx, judged: Judged, kind: &Sha256, now: EpochMs) -> Result<JobId, StoreError> {
    let id = sqlx::query_scalar!(
        r#"insert into verification (problem_id, package_id, test_set_id, decides, state, created_ms, of_kind)
        values (?, ?, ?, 0, 'queued', ?, ?) returning id as "id!: VerificationId""#,
        judged.problem,
        judged.package,
        judged.tests,
        now,
        kind
    )
    .fetch_one(&mut **tx)
    .await?;
    sqlx::query!(
        "insert into host_fit (package_id, test_set_id, kind, verification_id, state) values (?, ?, ?, ?, 'measuring')",
        judged.package,
        judged.tests,
        kind,
        id
    )
    .execute(&mut **tx)
    .await?;
    job::queue(tx, Work::Verify(id), PRIORITY_MEASURE, None, now).await
}

/// The measuring of this kind that waits, the oldest.
pub(super) async fn waiting(tx: &mut WriteTx, kind: &Sha256, now: EpochMs) -> Result<Option<JobId>, StoreError> {
    let too_far = job::too_far(now);
    let id = sqlx::query_scalar!(
        r#"select q.id as "id!: JobId" from job q join verification v on v.id = q.verification_id
        where q.state in ('queued', 'leased') and q.priority < 0 and v.of_kind = ?3
            and ((q.state = 'queued' and (q.not_before_ms <= ?1 or q.not_before_ms > ?2))
                or (q.state = 'leased' and q.lease_until_ms <= ?1))
        order by q.id limit 1"#,
        now,
        too_far,
        kind
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(id)
}

/// The limit that a verification's measurements are held against, milliseconds; `None` while its package has none yet.
pub async fn limit_of(pool: &SqlitePool, lease: Lease) -> Result<Option<u64>, StoreError> {
    let limit = sqlx::query_scalar!(
        r#"select k.cpu_ms as "cpu_ms: u64" from job q join verification v on v.id = q.verification_id
            join package k on k.id = v.package_id
        where q.id = ? and v.decides = 0"#,
        lease.job
    )
    .fetch_optional(pool)
    .await?;
    Ok(limit.flatten())
}

/// Notes what a verification says of the machine that made it.
pub(super) async fn note(
    tx: &mut WriteTx,
    of: &Verification,
    lease: Lease,
    measured: Measured,
) -> Result<(), JobError> {
    let kind = match of.of_kind {
        Some(kind) => Some(kind),
        // Begun twice it was perhaps made by two kinds, each a part.
        None if lease.token > 1 => None,
        None => kind_of_holder(tx, lease).await?,
    };
    let (Some(kind), Some(tests)) = (kind, of.test_set_id) else { return Ok(()) };
    sqlx::query!(
        "insert into host_fit (package_id, test_set_id, kind, verification_id, state, limit_ms, least_ms, most_ms)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (package_id, test_set_id, kind) do update set verification_id = excluded.verification_id,
            state = excluded.state, limit_ms = excluded.limit_ms, least_ms = excluded.least_ms, most_ms = excluded.most_ms",
        of.package_id,
        tests,
        kind,
        of.id,
        measured.state,
        int(measured.limit_ms),
        int(measured.least_ms),
        measured.most_ms.map(int)
    )
    .execute(&mut **tx)
    .await?;
    // Those that waited for it.
    tx.offer_jobs();
    Ok(())
}

/// A measuring was given up: the kind is left out until one of its machines is started again.
pub(super) async fn give_up(tx: &mut WriteTx, id: VerificationId) -> Result<(), StoreError> {
    sqlx::query!("update host_fit set state = 'not_measured' where verification_id = ?", id).execute(&mut **tx).await?;
    tx.offer_jobs();
    Ok(())
}

/// A machine of this kind was started: what speaks against the kind is found out anew.
pub(super) async fn forget_misfits(tx: &mut WriteTx, kind: &Sha256) -> Result<(), StoreError> {
    sqlx::query!("delete from host_fit where kind = ? and state not in ('fits', 'measuring')", kind)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Drops what nobody is there to measure: the last machine of the kind is gone, or gets no jobs. One that comes back
/// measures anew when it is needed. Tells how many.
pub async fn drop_abandoned(tx: &mut WriteTx, now: EpochMs) -> Result<usize, StoreError> {
    let gone = EpochMs(now.0.saturating_sub(GONE_AFTER_MS));
    let abandoned = sqlx::query!(
        r#"select q.id as "job!: JobId", v.id as "verification!: VerificationId"
        from job q join verification v on v.id = q.verification_id
        where q.state in ('queued', 'leased') and q.priority < 0 and (q.state = 'queued' or q.lease_until_ms <= ?2)
            and not exists (select 1 from worker w where w.kind = v.of_kind and w.state = 'active' and w.refused is null
                and w.last_seen_ms > ?1)"#,
        gone,
        now
    )
    .fetch_all(&mut **tx)
    .await?;
    for one in &abandoned {
        sqlx::query!("update job set state = 'done', lease_until_ms = null where id = ?", one.job)
            .execute(&mut **tx)
            .await?;
        sqlx::query!("delete from host_fit where verification_id = ? and state = 'measuring'", one.verification)
            .execute(&mut **tx)
            .await?;
        verification_end::drop_unmade(tx, one.verification, now).await?;
    }
    Ok(abandoned.len())
}

/// The kind of the machine that holds this lease; `None` where kinds don't matter.
async fn kind_of_holder(tx: &mut WriteTx, lease: Lease) -> Result<Option<Sha256>, StoreError> {
    let held = sqlx::query!(
        r#"select instr(q.worker, '/') as "at!: i64", w.kind as "kind?: Sha256"
        from job q left join worker w on w.name = substr(q.worker, 1, instr(q.worker, '/') - 1)
        where q.id = ? and q.worker is not null"#,
        lease.job
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(held) = held else { return Ok(None) };
    if held.at > 0 {
        return Ok(held.kind);
    }
    Ok(setting::get(&mut **tx, OWN_KIND).await?.and_then(|text| text.parse().ok()))
}

/// What the kinds that machines are of now don't judge, of what is in force.
pub async fn misfits(executor: impl SqliteExecutor<'_>) -> Result<Vec<Misfit>, StoreError> {
    let misfits = sqlx::query_as!(
        Misfit,
        r#"select h.kind as "kind: _", p.slug as "problem: _", h.state as "state: _", h.limit_ms as "limit_ms: _",
            h.least_ms as "least_ms: _", h.most_ms as "most_ms: _"
        from problem p join host_fit h on h.package_id = p.package_id and h.test_set_id = p.test_set_id
        where h.state <> 'fits' and h.kind in (select kind from worker) order by p.slug"#
    )
    .fetch_all(executor)
    .await?;
    Ok(misfits)
}
