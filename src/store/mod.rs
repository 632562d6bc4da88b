//! All SQL: the one SQLite file, its migrations, and the reads and writes of each table family.
//!
//! Owns: the connections, transactions, and the bells that ring after a commit. Must not know: who may do what (that is
//! `service`), HTTP, the sandbox, how a verdict comes about.
//!
//! Two rules hold in every file: reads for pages take the read-only pool, writes take a [`WriteTx`]; and nothing waits
//! for hashing, compression or the network while a transaction is open.

mod codec;
mod next_jobs;

pub mod account;
pub mod account_look;
pub mod affiliation;
pub mod api_token;
pub mod audit;
pub mod backup;
pub mod blob;
pub mod blob_sweep;
pub mod canned_answer;
pub mod clarification;
pub mod contest;
pub mod contest_setting;
pub mod contest_team;
pub mod counterexample;
pub mod event;
pub mod farm_claim;
pub mod farm_worker;
pub mod health;
pub mod host_fit;
pub mod invitation;
pub mod job;
pub mod judgement;
pub mod judging;
pub mod link;
pub mod metrics;
pub mod package;
pub mod people;
pub mod picture;
pub mod preparation;
pub mod problem;
pub mod proposal;
pub mod rejudging;
pub mod roster;
pub mod second_step;
pub mod session;
pub mod setting;
pub mod submission;
pub mod takeover;
pub mod team;
pub mod test_case;
pub mod test_change;
pub mod together;
pub mod trial;
pub mod verification;
pub mod verification_end;
pub mod virtual_run;
pub mod waiting_tests;

use std::mem;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use log::LevelFilter;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Sqlite, SqliteConnection, SqlitePool, Transaction};
use tokio::sync::watch;

use crate::domain::hash::Sha256;
use crate::domain::ids::{EventId, JobId};
use crate::domain::time::EpochMs;

use next_jobs::NextJobs;

pub use codec::{GroupResults, Names, Texts};

/// Readers at the same time; more than that wait.
const READERS: u32 = 8;
/// How long a connection waits for another process's lock, e.g. a `touchstone user create` beside the server.
const BUSY: Duration = Duration::from_secs(10);
/// How long a statement may take before it is logged, where nobody says otherwise.
const SLOW: Duration = Duration::from_secs(1);

static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!();

/// Why the store could not do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite, the disk, or a row that this version can't read.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The file is of a newer version, or a migration failed.
    #[error("the database can't be brought up to date: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// A row names contents that aren't there.
    #[error("the contents {0} are missing from the database")]
    BlobMissing(Sha256),
    /// The stored contents don't have the hash they are stored under.
    #[error("the contents stored as {0} are damaged")]
    BlobDamaged(Sha256),
    /// Contents that were to be stored can't be read, or a copy of stored ones can't be written.
    #[error("contents could not be read or written: {0}")]
    Unreadable(#[from] std::io::Error),
    /// A row isn't there that others name.
    #[error("the database has no {0} where one must be")]
    RowMissing(&'static str),
    /// The program is ending.
    #[error("the program is stopping")]
    Stopping,
}

impl StoreError {
    /// Whether the disk is full or read-only: the operator must act, trying again at once won't help.
    pub fn is_disk_trouble(&self) -> bool {
        is_disk_trouble(self)
    }
}

/// Whether an error comes from a disk that is full, read-only or failing, at whatever depth of its causes.
pub fn is_disk_trouble(error: &(dyn std::error::Error + 'static)) -> bool {
    // SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL; the low byte is the primary code.
    let is_trouble = |code: &str| code.parse::<u32>().is_ok_and(|code| matches!(code & 0xff, 8 | 10 | 13));
    std::iter::successors(Some(error), |error| error.source()).any(|error| match error.downcast_ref::<sqlx::Error>() {
        Some(sqlx::Error::Database(error)) => error.code().is_some_and(|code| is_trouble(&code)),
        _ => false,
    })
}

/// The database. Cheap to clone; all clones share the connections and the bells.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    writer: SqlitePool,
    reader: SqlitePool,
    events: watch::Sender<EventId>,
    jobs: watch::Sender<u64>,
    trials: watch::Sender<u64>,
    clarifications: watch::Sender<u64>,
    together: together::Queue,
    tests: test_case::Kept,
    next_jobs: Mutex<NextJobs>,
}

impl Store {
    /// Opens the file, makes it when it isn't there, and brings it up to date.
    ///
    /// # Errors
    /// [`StoreError::Migrate`] when the file belongs to a newer version, [`StoreError::Database`] when it can't be
    /// opened or written.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_noting(path, SLOW).await
    }

    /// The same; statements that take `slow` or longer are logged as they are written, so without the values in them.
    ///
    /// # Errors
    /// As [`Store::open`]'s.
    pub async fn open_noting(path: &Path, slow: Duration) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            // FULL: a commit that was answered survives a power cut.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .log_slow_statements(LevelFilter::Warn, slow);
        // A connection is in this process: there is no line that could have died, and asking costs as much as a query.
        let pool = || SqlitePoolOptions::new().test_before_acquire(false);
        let writer = pool().max_connections(1).connect_with(options.clone().create_if_missing(true)).await?;
        MIGRATOR.run(&writer).await?;
        account_look::fill(&writer).await?;
        let reader = pool().max_connections(READERS).connect_with(options.read_only(true)).await?;
        let last = event::last(&reader).await?;
        let (events, _) = watch::channel(last);
        let (jobs, _) = watch::channel(0);
        let (trials, _) = watch::channel(0);
        let (clarifications, _) = watch::channel(0);
        let (together, tests) = (together::Queue::default(), test_case::Kept::default());
        let next_jobs = Mutex::default();
        let inner = Inner { writer, reader, events, jobs, trials, clarifications, together, tests, next_jobs };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The read-only pool.
    pub fn read(&self) -> &SqlitePool {
        &self.inner.reader
    }

    /// The read-only pool's view of this moment: what is read through it belongs together.
    ///
    /// # Errors
    /// [`StoreError::Database`].
    pub async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.inner.reader.begin().await?)
    }

    /// Starts the one write transaction (`begin immediate`); others wait for it. Dropping it undoes it.
    ///
    /// # Errors
    /// [`StoreError::Database`] when another process holds the file for too long.
    pub async fn begin_write(&self) -> Result<WriteTx, StoreError> {
        let tx = match self.inner.writer.begin_with("begin immediate").await {
            // A full disk makes SQLite undo a transaction by itself; the driver then believes that it is still in one, and
            // would do so for ever. A new connection knows better.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                let _ = self.inner.writer.acquire().await?.close().await;
                self.inner.writer.begin_with("begin immediate").await?
            }
            begun => begun?,
        };
        Ok(WriteTx {
            tx,
            store: self.clone(),
            last_event: None,
            jobs_offered: false,
            trials_changed: false,
            clarified: false,
            next_jobs: mem::take(&mut *self.next_jobs()),
            silent_ended: None,
        })
    }

    /// The number of the latest committed event; changes wake whoever waits on it.
    pub fn events(&self) -> watch::Receiver<EventId> {
        self.inner.events.subscribe()
    }

    /// The number of the latest event that was committed through this store; other processes may have written since.
    pub fn last_event(&self) -> EventId {
        *self.inner.events.borrow()
    }

    /// Changes whenever a job was offered. Subscribe before looking for a job, then none can be missed.
    pub fn jobs(&self) -> watch::Receiver<u64> {
        self.inner.jobs.subscribe()
    }

    /// Changes whenever a trial began or ended. Trials are nobody else's business, so they leave no events.
    pub fn trials(&self) -> watch::Receiver<u64> {
        self.inner.trials.subscribe()
    }

    /// Changes whenever somebody asked, answered or announced: every open page waits for it, and few events are of it.
    pub fn clarifications(&self) -> watch::Receiver<u64> {
        self.inner.clarifications.subscribe()
    }

    fn next_jobs(&self) -> MutexGuard<'_, NextJobs> {
        self.inner.next_jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes all connections after their work; the write-ahead log is folded into the file.
    pub async fn close(&self) {
        self.inner.reader.close().await;
        self.inner.writer.close().await;
    }
}

/// A write transaction. It derefs to its connection; [`WriteTx::commit`] rings the bells.
#[derive(Debug)]
pub struct WriteTx {
    tx: Transaction<'static, Sqlite>,
    store: Store,
    last_event: Option<EventId>,
    jobs_offered: bool,
    trials_changed: bool,
    clarified: bool,
    next_jobs: NextJobs,
    /// When leases that nobody keeps were seen to.
    silent_ended: Option<EpochMs>,
}

impl WriteTx {
    /// There is work that wasn't there before: whoever waits for some is told after the commit.
    fn offer_jobs(&mut self) {
        self.jobs_offered = true;
        self.next_jobs.forget();
    }

    /// This job isn't to be claimed in this transaction any more.
    fn withhold_job(&mut self, id: JobId) {
        self.next_jobs.withhold(id);
    }

    /// Makes everything permanent, then tells the followers of events and the workers.
    ///
    /// # Errors
    /// [`StoreError::Database`]; then nothing was written.
    pub async fn commit(self) -> Result<(), StoreError> {
        *self.store.next_jobs() = self.next_jobs;
        if let Err(error) = self.tx.commit().await {
            // They may have been taken from there, and now are not.
            self.store.next_jobs().forget();
            return Err(error.into());
        }
        if let Some(id) = self.last_event {
            // Two commits may get here in either order: the number only ever grows.
            self.store.inner.events.send_if_modified(|last| {
                let newer = id > *last;
                *last = id.max(*last);
                newer
            });
        }
        if self.jobs_offered {
            self.store.inner.jobs.send_modify(|count| *count += 1);
        }
        if self.clarified {
            self.store.inner.clarifications.send_modify(|count| *count += 1);
        }
        if self.trials_changed {
            self.store.inner.trials.send_modify(|count| *count += 1);
        }
        Ok(())
    }

    /// Undoes everything.
    ///
    /// # Errors
    /// [`StoreError::Database`]; the transaction is undone all the same.
    pub async fn roll_back(self) -> Result<(), StoreError> {
        Ok(self.tx.rollback().await?)
    }
}

impl Deref for WriteTx {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.tx
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.tx
    }
}
