//! A judge in a temporary folder, and a worker that reports whatever a test wants.

use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::domain::ids::{AccountId, PackageId, SubmissionId, TestSetId};
use touchstone::domain::limits::Limits;
use touchstone::domain::slug::Slug;
use touchstone::domain::source::SourceFile;
use touchstone::domain::time::EpochMs;
use touchstone::domain::verdict::Verdict;
use touchstone::service::problems::{Offer, OfferedFile};
use touchstone::service::submissions::{NewSubmission, Repeat};
use touchstone::service::{Actor, Service};
use touchstone::store::account::{self, NewAccount};
use touchstone::store::blob::{self, Blob};
use touchstone::store::job::{self, ClaimedJob, Work};
use touchstone::store::judging::{self, NewRun, Outcome, RunFacts};
use touchstone::store::package::StatementFormat;
use touchstone::store::preparation::{self, NewStatement, Preparation};
use touchstone::store::test_case::{NewTestCase, TestOrigin};
use touchstone::store::{Names, Store, judgement, verification_end};

/// When every test begins.
pub const T0: EpochMs = EpochMs(1_800_000_000_000);

/// So many seconds later.
pub fn at(seconds: i64) -> EpochMs {
    T0.plus_ms(seconds * 1_000)
}

pub struct Judge {
    pub folder: tempfile::TempDir,
    pub service: Service,
    pub store: Store,
}

impl Judge {
    /// An empty judge.
    pub async fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(&folder.path().join("judge.sqlite")).await.expect("opens");
        Self { folder, service: Service::new(store.clone()), store }
    }

    /// A judge with the published problem `sums`: one sample and two secret tests.
    pub async fn with_problem() -> Self {
        let judge = Self::empty().await;
        judge.publish("sums", 3).await;
        judge
    }

    pub async fn actor(&self, name: &str, role: Role) -> Actor {
        let user = name.parse().expect("a name");
        let mut tx = self.store.begin_write().await.expect("begins");
        let new = NewAccount { name: &user, display_name: name, role, password_hash: None };
        let id = account::insert(&mut tx, new, T0).await.expect("inserts").expect("is free");
        tx.commit().await.expect("commits");
        let account = account::by_id(self.store.read(), id).await.expect("reads").expect("is there");
        let (team_id, display_name) = (account.team_id, name.to_owned());
        Actor { account_id: id, role, team_id, name: name.to_owned(), display_name, address: None }
    }

    /// An account that is there already.
    pub fn acting(account_id: AccountId, role: Role, name: &str) -> Actor {
        let display_name = name.to_owned();
        Actor { account_id, role, team_id: None, name: name.to_owned(), display_name, address: None }
    }

    pub async fn contestant(&self, name: &str) -> Actor {
        self.actor(name, Role::Contestant).await
    }

    pub async fn offer(&self, slug: &str, statement: &str) -> PackageId {
        let file = OfferedFile { path: "statement/problem.en.md".to_owned(), contents: statement.as_bytes().to_vec() };
        let slug: Slug = slug.parse().expect("a slug");
        match self.service.offer_package(None, &slug, vec![file], T0).await.expect("is taken") {
            Offer::Queued(id) | Offer::Known(id) => id,
        }
    }

    /// Offers a package and lets a worker prepare and verify it.
    pub async fn publish(&self, slug: &str, tests: u32) -> TestSetId {
        self.offer(slug, slug).await;
        let job = self.claim(T0).await.expect("a job");
        let set = self.prepare(job, tests).await.expect("the worker has the lease");
        self.verify_next().await;
        set
    }

    pub async fn prepare(&self, job: ClaimedJob, tests: u32) -> Result<TestSetId, job::JobError> {
        let Work::Prepare(package) = job.work else { panic!("{job:?} is no preparation") };
        let task = preparation::task(self.store.read(), package).await.expect("reads");
        let own = (1..=tests).map(|number| (format!("{number:02}"), number == 1, TestOrigin::File));
        let mut new: Vec<NewTestCase> = Vec::new();
        let mut tx = self.store.begin_write().await.expect("begins");
        for (name, sample, origin) in own {
            let input = Blob::new(format!("{} {name}\n", task.problem_slug).into_bytes());
            blob::insert(&mut tx, &input).await.expect("inserts");
            new.push(test(&name, sample, origin, input.sha256(), input.bytes()));
        }
        for added in &task.added {
            new.push(test(&added.name, added.sample, TestOrigin::Added, added.input_sha256, added.input_bytes));
        }
        let answer = Blob::new(b"42\n".to_vec());
        blob::insert(&mut tx, &answer).await.expect("inserts");
        let preparation = Preparation {
            names: Names([("en".to_owned(), format!("Problem {}", task.problem_slug))].into()),
            languages: None,
            limits: limits(),
            metadata: "{}".to_owned(),
            statements: vec![NewStatement {
                language: "en".to_owned(),
                format: StatementFormat::Markdown,
                path: "statement/problem.en.md".to_owned(),
            }],
            tests: new,
            pictures: Vec::new(),
        };
        let done = preparation::finish_preparation(&mut tx, job.lease, &preparation, T0).await?;
        tx.commit().await.expect("commits");
        Ok(done)
    }

    /// Finishes a claimed verification.
    pub async fn verify(&self, job: ClaimedJob, holds: bool) -> Result<(), job::JobError> {
        let Work::Verify(_) = job.work else { panic!("{job:?} is no verification") };
        let message = (!holds).then(|| "wrong_answer/a.py: no test rejects this wrong program".to_owned());
        let outcome =
            verification_end::Outcome { holds, report: "{}".to_owned(), message, limits: None, measured: None };
        let mut tx = self.store.begin_write().await.expect("begins");
        verification_end::finish(&mut tx, job.lease, &outcome, T0).await?;
        tx.commit().await.expect("commits");
        Ok(())
    }

    /// Claims the next job, a verification, and lets it hold.
    pub async fn verify_next(&self) {
        let job = self.claim(T0).await.expect("a job");
        self.verify(job, true).await.expect("has the lease");
    }

    pub async fn submit(&self, actor: &Actor, now: EpochMs) -> SubmissionId {
        self.service.submit(actor, program("sums"), now).await.expect("is taken")
    }

    pub async fn claim(&self, now: EpochMs) -> Option<ClaimedJob> {
        let mut tx = self.store.begin_write().await.expect("begins");
        let job = job::claim(&mut tx, "worker 1", now).await.expect("claims");
        tx.commit().await.expect("commits");
        job
    }

    /// Reports that test `ordinal` ended like this.
    pub async fn record(
        &self,
        job: ClaimedJob,
        ordinal: u32,
        verdict: Verdict,
        now: EpochMs,
    ) -> Result<(), job::JobError> {
        let Work::Judge(id) = job.work else { panic!("{job:?} is no judgement") };
        let task = judgement::task(&self.store, id).await.expect("reads");
        let run = NewRun {
            ordinal,
            test_case_id: task.tests[ordinal as usize - 1].id,
            verdict,
            score: None,
            cpu_ms: 10 * u64::from(ordinal),
            wall_ms: 20,
            memory_bytes: 1 << 20,
            message: Some("exit code 0".to_owned()),
            judge_message: Some("expected 42".to_owned()),
            facts: RunFacts::default(),
        };
        let mut tx = self.store.begin_write().await.expect("begins");
        judging::record_run(&mut tx, job.lease, &run, now).await?;
        tx.commit().await.expect("commits");
        Ok(())
    }

    pub async fn finish(&self, job: ClaimedJob, verdict: Verdict, now: EpochMs) -> Result<(), job::JobError> {
        let outcome = Outcome { cpu_ms: Some(30), memory_bytes: Some(1 << 20), ..Outcome::new(verdict) };
        let mut tx = self.store.begin_write().await.expect("begins");
        judging::finish_judgement(&mut tx, job.lease, &outcome, now).await?;
        tx.commit().await.expect("commits");
        Ok(())
    }

    /// Claims the next job and finishes it with this verdict.
    pub async fn judge_next(&self, verdict: Verdict, now: EpochMs) {
        let job = self.claim(now).await.expect("a job");
        self.finish(job, verdict, now).await.expect("has the lease");
    }

    /// The verdict that counts.
    pub async fn verdict(&self, id: SubmissionId) -> Option<Verdict> {
        let row = touchstone::store::submission::row(self.store.read(), id).await.expect("reads");
        row.expect("is there").verdict
    }
}

pub fn program(problem: &str) -> NewSubmission {
    NewSubmission {
        contest: None,
        problem: problem.to_owned(),
        language: "python3".parse().expect("a language"),
        entry_point: None,
        files: vec![SourceFile::text("a.py", b"print(42)\n".to_vec()).expect("a source")],
        repeat: Repeat::Never,
    }
}

pub fn limits() -> Limits {
    Limits { cpu_ms: 1_000, wall_ms: 3_000, memory_bytes: 256 << 20, output_bytes: 8 << 20, processes: 64 }
}

fn test(name: &str, sample: bool, origin: TestOrigin, input_sha256: Sha256, input_bytes: u64) -> NewTestCase {
    NewTestCase {
        name: name.to_owned(),
        group: if sample { "sample" } else { "secret" }.to_owned(),
        sample,
        input_sha256,
        answer_sha256: Sha256::of(b"42\n"),
        input_bytes,
        answer_bytes: 3,
        origin,
        recipe: None,
        config: "{}".to_owned(),
    }
}
