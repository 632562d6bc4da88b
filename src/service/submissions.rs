//! Handing in, and looking at what was handed in.

use super::program_place::{Place, Taken, check_code, check_place};
use super::{Actor, Service, visibility, wait_ms};
use crate::domain::contest::Phase;
use crate::domain::hash::Sha256;
use crate::domain::ids::{ContestId, JudgementId, ProblemId, SubmissionId};
use crate::domain::language::LanguageId;
use crate::domain::slug::Slug;
use crate::domain::source::{MAX_SOURCE_FILES, SourceFile};
use crate::domain::time::EpochMs;
use crate::store::blob::Blob;
use crate::store::contest::{Contest, FailedTests};
use crate::store::job::{self, PRIORITY_CONTEST, PRIORITY_PRACTICE, Work};
use crate::store::judgement::{self, Judgement, Run};
use crate::store::submission::{self, SubmissionFile, SubmissionFilter, SubmissionRow};
use crate::store::{StoreError, WriteTx, blob, contest};

/// How many submissions an account may hand in within [`RATE_WINDOW_MS`].
pub const RATE: u32 = 20;
/// The span that [`RATE`] is counted over, milliseconds.
pub const RATE_WINDOW_MS: i64 = 60_000;
/// The span within which the same program again is taken for a program that lost its connection, milliseconds.
pub const SENT_AGAIN_MS: i64 = 10_000;
/// The most submissions that are listed at once.
pub const MAX_LISTED: u32 = 100_000;
/// The longest key against double sending, bytes.
const MAX_DEDUPE_KEY: usize = 100;

/// A submission as it comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubmission {
    /// The contest's slug; `None` is the practice contest.
    pub contest: Option<String>,
    /// The problem's slug.
    pub problem: String,
    /// The language; that the judge offers it is for the caller to check.
    pub language: LanguageId,
    /// Main file or class, where the contestant named one.
    pub entry_point: Option<String>,
    /// The files.
    pub files: Vec<SourceFile>,
    /// Whether it may be one that came before.
    pub repeat: Repeat,
}

/// When what comes in is taken for a submission that came before, so that sending twice hands in once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    /// Never.
    Never,
    /// When the same program came with the same key from the same account.
    Key(String),
    /// When the same program came from the same account within [`SENT_AGAIN_MS`].
    Soon,
}

/// Why a submission was not taken. The sentences are for people.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// No such contest.
    #[error("there is no contest `{0}`")]
    NoSuchContest(String),
    /// No such problem in the contest.
    #[error("the contest has no problem `{0}`")]
    NoSuchProblem(String),
    /// It hasn't begun.
    #[error("the contest {0} has not begun")]
    NotBegun(String),
    /// It is over.
    #[error("the contest {0} is over")]
    Over(String),
    /// Its clock stands still.
    #[error("the contest {0} is paused; it takes submissions again when it goes on")]
    Paused(String),
    /// It is for invited teams.
    #[error("the contest {0} is for invited teams only")]
    NotInvited(String),
    /// It takes none now.
    #[error("the problem `{0}` takes no submissions now")]
    NotPublished(Slug),
    /// The problem doesn't allow it.
    #[error("only {allowed} may be used here, not {language}")]
    LanguageNotAllowed {
        /// What was chosen.
        language: LanguageId,
        /// What is allowed.
        allowed: String,
    },
    /// Nothing handed in.
    #[error("a submission needs at least one file")]
    NoFile,
    /// Too many files.
    #[error("a submission has at most {MAX_SOURCE_FILES} files")]
    TooManyFiles,
    /// More code than the problem takes.
    #[error("the program has {bytes} bytes; the problem takes at most {most}")]
    TooMuchCode {
        /// Of all its files.
        bytes: u64,
        /// What the problem takes.
        most: u64,
    },
    /// Two files of one name.
    #[error("two files are named {0}")]
    SameName(String),
    /// The key is too long.
    #[error("the key against double sending has at most {MAX_DEDUPE_KEY} bytes")]
    BadDedupeKey,
    /// Too fast.
    #[error("that was the {RATE}th submission within a minute; please wait a little")]
    TooFast {
        /// After how many milliseconds it is sure to be taken.
        retry_after_ms: i64,
    },
    /// An account without a team.
    #[error("this account has no team to submit for")]
    NoTeam,
    /// Our fault: nothing was written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Which runs of a judgement a viewer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownTests {
    /// All.
    All,
    /// Those of samples: the contest tells nothing of failed secret tests.
    Samples,
}

/// A submission's page, cut to what the viewer may see.
#[derive(Debug, Clone, PartialEq)]
pub struct SubmissionPage {
    /// The submission with the judgement that counts.
    pub row: SubmissionRow,
    /// Whether the freeze hides how it went.
    pub result_hidden: bool,
    /// Its files' names and sizes; `None` when the viewer may not see its source.
    pub files: Option<Vec<SubmissionFile>>,
    /// The judgement that counts, with the compiler's words; `None` when the viewer may not see it.
    pub judgement: Option<Judgement>,
    /// Its runs so far; empty when the viewer may not see them. Names of secret tests are empty for contestants.
    pub runs: Vec<Run>,
    /// All its judgements, newest first; empty when the viewer may not see them.
    pub history: Vec<Judgement>,
    /// What the contest lets contestants learn of failed secret tests.
    pub failed_tests: FailedTests,
    /// Which runs the viewer sees.
    pub shown: ShownTests,
    /// Whether the viewer may have it judged again.
    pub may_rejudge: bool,
    /// Whether the viewer may see the test data.
    pub may_see_tests: bool,
}

impl Service {
    /// Hands in. Everything that is written is written at once; then the workers wake.
    ///
    /// # Errors
    /// [`SubmitError`]: every variant but `Store` is for the form.
    pub async fn submit(&self, actor: &Actor, new: NewSubmission, now: EpochMs) -> Result<SubmissionId, SubmitError> {
        check_form(&new)?;
        let team_id = actor.team_id.ok_or(SubmitError::NoTeam)?;
        let mut blobs = Vec::with_capacity(new.files.len());
        let mut files = Vec::with_capacity(new.files.len());
        for file in &new.files {
            let blob = Blob::prepare(file.contents().to_vec()).await?;
            files.push(SubmissionFile { name: file.name().to_owned(), sha256: blob.sha256(), bytes: blob.bytes() });
            blobs.push(blob);
        }
        let dedupe_key = match &new.repeat {
            Repeat::Key(key) => Some(bound_key(key, &new, &files)),
            Repeat::Never | Repeat::Soon => None,
        };
        let mut tx = self.store.begin_write().await?;
        if let Some(key) = &dedupe_key
            && let Some(id) = submission::by_dedupe_key(&mut *tx, actor.account_id, key).await?
        {
            return Ok(id);
        }
        let place = Place { contest: new.contest.as_deref(), problem: &new.problem, language: &new.language };
        let Taken { contest, problem, virtual_run } = check_place(&mut tx, actor, place, now).await?;
        if new.repeat == Repeat::Soon
            && let Some(id) = sent_again(&mut tx, actor, problem.id, &new.language, &files, now).await?
        {
            return Ok(id);
        }
        check_code(&mut tx, &problem, &new.language, blobs.iter().map(Blob::bytes).sum()).await?;
        check_rate(&mut tx, actor, now).await?;
        for blob in &blobs {
            blob::insert(&mut tx, blob).await?;
        }
        let row = submission::NewSubmission {
            contest_id: contest.id,
            problem_id: problem.id,
            team_id,
            account_id: actor.account_id,
            language: new.language,
            entry_point: new.entry_point,
            dedupe_key,
            files,
            virtual_run,
        };
        let id = submission::insert(&mut tx, &row, now).await?;
        let judgement = judgement::insert(&mut tx, id, None, now).await?;
        let counts = !contest.is_practice() && contest.times().phase(now) == Phase::Running;
        let priority = if counts { PRIORITY_CONTEST } else { PRIORITY_PRACTICE };
        job::queue(&mut tx, Work::Judge(judgement), priority, Some(actor.account_id), now).await?;
        tx.commit().await?;
        tracing::info!(submission = id.0, judgement = judgement.0, "handed in");
        Ok(id)
    }

    /// A page of a list, newest first, cut to what the viewer may see. It may be shorter than `limit` where rows are
    /// hidden.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn submissions(
        &self,
        viewer: Option<&Actor>,
        filter: &SubmissionFilter,
        limit: u32,
    ) -> Result<Vec<SubmissionRow>, StoreError> {
        let rows = submission::list(self.store.read(), filter, limit).await?;
        self.cut_rows(viewer, rows, filter.verdict.is_some()).await
    }

    /// These of a contest, oldest first, cut to what the viewer may see.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn submissions_of(
        &self,
        viewer: Option<&Actor>,
        contest: ContestId,
        only: Option<&[SubmissionId]>,
    ) -> Result<Vec<SubmissionRow>, StoreError> {
        let mut rows = if let Some(ids) = only {
            submission::by_ids(self.store.read(), ids).await?
        } else {
            let filter = SubmissionFilter { contest: Some(contest), ..SubmissionFilter::default() };
            submission::list(self.store.read(), &filter, MAX_LISTED).await?
        };
        rows.retain(|row| row.contest_id == contest);
        rows.reverse();
        self.cut_rows(viewer, rows, false).await
    }

    async fn cut_rows(
        &self,
        viewer: Option<&Actor>,
        mut rows: Vec<SubmissionRow>,
        by_verdict: bool,
    ) -> Result<Vec<SubmissionRow>, StoreError> {
        let contests = contest::list(self.store.read()).await?;
        rows.retain_mut(|row| {
            let hidden = visibility::result_is_hidden(viewer, row, frozen_from(&contests, row.contest_id));
            if let Some(contest) = contests.iter().find(|contest| contest.id == row.contest_id) {
                visibility::cut_row(viewer, row, contest.failed_tests);
            }
            if hidden {
                visibility::hide_result(row);
            }
            // A list of one verdict must not tell that a hidden one is it.
            visibility::may_see_row(viewer, row) && !(hidden && by_verdict)
        });
        Ok(rows)
    }

    /// A submission's page; `None` when there is none that the viewer may see.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn submission(
        &self,
        viewer: Option<&Actor>,
        id: SubmissionId,
    ) -> Result<Option<SubmissionPage>, StoreError> {
        // One snapshot, so that the verdict and its runs belong together.
        let mut tx = self.store.snapshot().await?;
        let Some(mut row) = submission::row(&mut *tx, id).await? else { return Ok(None) };
        if !visibility::may_see_row(viewer, &row) {
            return Ok(None);
        }
        let contest = contest::by_id(&mut *tx, row.contest_id).await?.ok_or(StoreError::RowMissing("contest"))?;
        let result_hidden = visibility::result_is_hidden(viewer, &row, contest.frozen_from());
        visibility::cut_row(viewer, &mut row, contest.failed_tests);
        if result_hidden {
            visibility::hide_result(&mut row);
        }
        let may_see_tests = visibility::may_see_tests(viewer);
        let mut page = SubmissionPage {
            result_hidden,
            files: None,
            judgement: None,
            runs: Vec::new(),
            history: Vec::new(),
            failed_tests: contest.failed_tests,
            shown: ShownTests::All,
            may_rejudge: visibility::is_judge(viewer),
            may_see_tests,
            row,
        };
        if visibility::may_see_source(viewer, &page.row) {
            page.files = Some(submission::files(&mut *tx, id).await?);
            page.history = judgement::of_submission(&mut *tx, id).await?;
            page.history.retain(|judgement| visibility::may_see_judgement(viewer, judgement));
            for judgement in &mut page.history {
                visibility::cut_judgement(viewer, judgement);
            }
            page.runs = judgement::runs(&mut *tx, page.row.judgement_id).await?;
            for run in &mut page.runs {
                visibility::cut_run(viewer, run);
            }
            if let Some(valid) = page.history.iter_mut().find(|judgement| judgement.valid) {
                page.shown = visibility::cut_failed_tests(viewer, valid, &mut page.runs, contest.failed_tests);
                page.judgement = Some(valid.clone());
            }
        }
        Ok(Some(page))
    }

    /// An older judgement of a submission with its runs, cut to what the viewer may see.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn older_judgement(
        &self,
        viewer: Option<&Actor>,
        id: SubmissionId,
        judgement: JudgementId,
    ) -> Result<Option<(Judgement, Vec<Run>, ShownTests)>, StoreError> {
        let Some(page) = self.submission(viewer, id).await? else { return Ok(None) };
        let Some(mut found) = page.history.into_iter().find(|one| one.id == judgement) else { return Ok(None) };
        let mut runs = judgement::runs(self.store.read(), judgement).await?;
        for run in &mut runs {
            visibility::cut_run(viewer, run);
        }
        let shown = visibility::cut_failed_tests(viewer, &mut found, &mut runs, page.failed_tests);
        Ok(Some((found, runs, shown)))
    }

    /// A file of a submission; `None` when there is none that the viewer may see.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn source(
        &self,
        viewer: Option<&Actor>,
        id: SubmissionId,
        name: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(row) = submission::row(self.store.read(), id).await? else { return Ok(None) };
        if !visibility::may_see_source(viewer, &row) {
            return Ok(None);
        }
        let files = submission::files(self.store.read(), id).await?;
        match files.iter().find(|file| file.name == name) {
            Some(file) => Ok(Some(blob::read(self.store.read(), file.sha256).await?)),
            None => Ok(None),
        }
    }

    /// Whether the viewer may see a submission's source and compiler output.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn may_see_source(&self, viewer: Option<&Actor>, id: SubmissionId) -> Result<bool, StoreError> {
        let row = submission::row(self.store.read(), id).await?;
        Ok(row.is_some_and(|row| visibility::may_see_source(viewer, &row)))
    }
}

/// Whether the viewer may see the source of this submission.
pub fn may_see_source(viewer: Option<&Actor>, row: &SubmissionRow) -> bool {
    visibility::may_see_source(viewer, row)
}

fn frozen_from(contests: &[Contest], id: ContestId) -> Option<EpochMs> {
    contests.iter().find(|contest| contest.id == id).and_then(Contest::frozen_from)
}

/// The key together with what it was sent with: a form that comes back by the browser's Back button still has its key,
/// and an edited program must not be taken for the old one.
fn bound_key(key: &str, new: &NewSubmission, files: &[SubmissionFile]) -> String {
    let contest = new.contest.as_deref().unwrap_or_default();
    let mut parts = vec![("key", key.as_bytes()), ("contest", contest.as_bytes())];
    parts.push(("problem", new.problem.as_bytes()));
    parts.push(("language", new.language.as_str().as_bytes()));
    parts.extend(files.iter().map(|file| (file.name.as_str(), file.sha256.as_bytes().as_slice())));
    Sha256::of_parts(parts).to_string()
}

async fn sent_again(
    tx: &mut WriteTx,
    actor: &Actor,
    problem: ProblemId,
    language: &LanguageId,
    files: &[SubmissionFile],
    now: EpochMs,
) -> Result<Option<SubmissionId>, StoreError> {
    let since = now.plus_ms(-SENT_AGAIN_MS);
    for id in submission::since(&mut **tx, actor.account_id, problem, language, since).await? {
        if submission::files(&mut **tx, id).await? == files {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn check_form(new: &NewSubmission) -> Result<(), SubmitError> {
    if new.files.is_empty() {
        return Err(SubmitError::NoFile);
    }
    if new.files.len() > MAX_SOURCE_FILES {
        return Err(SubmitError::TooManyFiles);
    }
    if matches!(&new.repeat, Repeat::Key(key) if key.len() > MAX_DEDUPE_KEY) {
        return Err(SubmitError::BadDedupeKey);
    }
    let mut names: Vec<&str> = new.files.iter().map(SourceFile::name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(SubmitError::SameName(pair[0].to_owned())),
        None => Ok(()),
    }
}

async fn check_rate(tx: &mut WriteTx, actor: &Actor, now: EpochMs) -> Result<(), SubmitError> {
    let first = submission::nth_newest(&mut **tx, actor.account_id, RATE, now).await?;
    match wait_ms(first, RATE_WINDOW_MS, now) {
        Some(retry_after_ms) => Err(SubmitError::TooFast { retry_after_ms }),
        None => Ok(()),
    }
}
