//! The embedded worker over a real database: packages become problems, submissions become verdicts, proposed inputs
//! become tests or are refused with a reason, and nothing is lost when it stops in the middle.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinSet;
use touchstone::clock;
use touchstone::domain::account::{NewPassword, Role, UserName};
use touchstone::domain::ids::SubmissionId;
use touchstone::domain::slug::Slug;
use touchstone::domain::source::SourceFile;
use touchstone::domain::trial::TrialOutcome;
use touchstone::domain::verdict::Verdict;
use touchstone::judge::blob_cache::BlobCache;
use touchstone::judge::languages::LanguageTable;
use touchstone::judge::local::LocalSource;
use touchstone::judge::toolchain::SearchPath;
use touchstone::judge::worker::{self, Tools};
use touchstone::judge::workshop::{Workshop, WorkshopConfig};
use touchstone::sandbox::{Sandbox, SandboxConfig};
use touchstone::service::problems::OfferedFile;
use touchstone::service::rejudge::{RejudgeError, Selection};
use touchstone::service::submissions::{NewSubmission, Repeat, SubmissionPage, SubmitError};
use touchstone::service::test_cases::NewTest;
use touchstone::service::trials::TryProgram;
use touchstone::service::{Actor, Service};
use touchstone::store::package::PackageState;
use touchstone::store::proposal::{Proposal, ProposalState};
use touchstone::store::{Store, problem};

use crate::bench::until;
use crate::waiting::{tell, waiting, waits};

/// Right up to the numbers that a machine of 32 bits would hold; the second reference answers wrongly beyond.
pub const FILES: &[(&str, &str)] = &[
    (
        "problem.yaml",
        "problem_format_version: 2025-09\ntype: pass-fail\nname: Sum\n\
         uuid: 0d5b8a1e-6a0b-4a52-8d1a-3f5a6b7c8d9e\nlicense: cc0\nlimits:\n  time_limit: 2\n  memory: 256\n",
    ),
    ("statement/problem.en.md", "Print the sum of two numbers.\n"),
    ("data/sample/1.in", "1 2\n"),
    ("data/sample/1.ans", "3\n"),
    ("data/secret/1.in", "5 7\n"),
    (
        "input_validators/two.py",
        "import re, sys\nif re.fullmatch(r'-?\\d+ -?\\d+\\n', sys.stdin.read()): sys.exit(42)\n\
         print('line 1: not two numbers', file=sys.stderr)\nsys.exit(43)\n",
    ),
    ("generators/pair.py", "import sys\nprint(sys.argv[1], sys.argv[2])\n"),
    ("submissions/accepted/a.py", "print(sum(map(int, input().split())))\n"),
    ("submissions/accepted/b.py", "a, b = map(int, input().split())\nprint(a + b if abs(a + b) < 2**31 else 0)\n"),
];

/// The same with a wall time far beyond the patience of a test.
const PATIENT: &str = "problem_format_version: 2025-09\ntype: pass-fail\nname: Sum\n\
    uuid: 0d5b8a1e-6a0b-4a52-8d1a-3f5a6b7c8d9e\nlicense: cc0\nlimits:\n  time_limit: 20\n  memory: 256\n";

/// A judge without pages: database, service, and workers that can be stopped and started.
pub struct Judge {
    pub folder: TempDir,
    pub store: Store,
    pub service: Service,
    tools: Arc<Tools>,
    stop: watch::Sender<bool>,
    workers: JoinSet<()>,
}

impl Judge {
    pub async fn start() -> Self {
        Self::start_with(Duration::from_mins(20)).await
    }

    /// One whose workers take a job for hung when it is silent for so long.
    pub async fn start_with(patience: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("judge.sqlite")).await.unwrap();
        let service = Service::new(store.clone());
        service.ensure_builtin(Vec::new(), clock::now()).await.unwrap();
        let helper = PathBuf::from(env!("CARGO_BIN_EXE_touchstone"));
        let sandbox = Sandbox::start(SandboxConfig { slots: 2, helper, ..SandboxConfig::default() }).unwrap();
        let config = WorkshopConfig {
            table: LanguageTable::built_in().unwrap(),
            search: SearchPath::from_env(),
            folder: folder.path().join("work"),
            programs: Some(folder.path().join("programs")),
        };
        let tools = Tools {
            workshop: Workshop::open(Arc::new(sandbox), config).unwrap(),
            cache: BlobCache::open(folder.path().join("cache")).unwrap(),
            threads: 2,
            patience,
        };
        let (stop, _) = watch::channel(false);
        let mut judge = Self { folder, store, service, tools: Arc::new(tools), stop, workers: JoinSet::new() };
        judge.employ();
        judge
    }

    fn employ(&mut self) {
        self.stop.send_replace(false);
        for number in 1..=2 {
            let source = Arc::new(LocalSource::new(self.store.clone(), format!("test-{number}")));
            self.workers.spawn(worker::run(source, Arc::clone(&self.tools), self.stop.subscribe()));
        }
    }

    async fn dismiss(&mut self) {
        self.stop.send_replace(true);
        while self.workers.join_next().await.is_some() {}
    }

    /// Looks again after each event until there is something to return.
    pub async fn until<T>(&self, mut look: impl AsyncFnMut(&Self) -> Option<T>) -> T {
        let mut events = self.store.events();
        loop {
            events.borrow_and_update();
            if let Some(found) = look(self).await {
                return found;
            }
            events.changed().await.unwrap();
        }
    }

    pub async fn person(&self, name: &str, role: Role) -> Actor {
        let name: UserName = name.parse().unwrap();
        let password: NewPassword = "a long password".parse().unwrap();
        self.service.create_user(&name, role, Some(&password), clock::now()).await.unwrap();
        let token =
            self.service.log_in(name.as_str(), "a long password", None, clock::now()).await.unwrap().session().unwrap();
        self.service.session(&token, clock::now()).await.unwrap().unwrap().actor
    }

    /// Offers the package with some files replaced, and waits for what becomes of it.
    pub async fn offer(&self, changes: &[(&str, &str)]) -> (PackageState, String) {
        let slug: Slug = "sum".parse().unwrap();
        let files = FILES
            .iter()
            .map(|(path, text)| {
                let text = changes.iter().find(|(name, _)| name == path).map_or(*text, |(_, text)| *text);
                OfferedFile { path: (*path).to_owned(), contents: text.as_bytes().to_vec() }
            })
            .collect();
        self.service.offer_package(None, &slug, files, clock::now()).await.unwrap();
        self.until(async |judge| {
            let overview = problem::overview(judge.store.read()).await.unwrap();
            let state = (overview[0].newest_state != PackageState::Queued).then_some(overview[0].newest_state)?;
            Some((state, overview[0].newest_message.clone().unwrap_or_default()))
        })
        .await
    }

    pub async fn submit(&self, actor: &Actor, name: &str, source: &str) -> SubmissionId {
        let new = NewSubmission {
            contest: None,
            problem: "sum".to_owned(),
            language: "python3".parse().unwrap(),
            entry_point: None,
            files: vec![SourceFile::text(name, source.as_bytes().to_vec()).unwrap()],
            repeat: Repeat::Never,
        };
        self.service.submit(actor, new, clock::now()).await.unwrap()
    }

    pub async fn verdict(&self, actor: &Actor, id: SubmissionId) -> SubmissionPage {
        self.until(async |judge| {
            let page = judge.service.submission(Some(actor), id).await.unwrap().unwrap();
            page.judgement.as_ref()?.verdict?;
            Some(page)
        })
        .await
    }

    async fn trial(&self, actor: &Actor, source: &str, input: Option<&str>) -> TrialOutcome {
        let new = TryProgram {
            contest: None,
            problem: "sum".to_owned(),
            language: "python3".parse().unwrap(),
            file: SourceFile::text("a.py", source.as_bytes().to_vec()).unwrap(),
            input: input.map(|input| input.as_bytes().to_vec()),
        };
        let mut bell = self.store.trials();
        let id = self.service.try_program(actor, new, clock::now()).await.unwrap();
        loop {
            bell.borrow_and_update();
            let trial = self.service.trial(actor, id, clock::now()).await.unwrap().unwrap();
            if let Some(outcome) = trial.outcome {
                return outcome;
            }
            bell.changed().await.unwrap();
        }
    }

    pub async fn propose(&self, actor: &Actor, name: &str, input: &str) -> Proposal {
        let new = NewTest { name: name.to_owned(), input: input.as_bytes().to_vec().into(), sample: false };
        let id = self.service.add_test_case(actor, "sum", new, clock::now()).await.unwrap();
        self.until(async |judge| {
            let proposal = judge.service.proposal(actor, id).await.unwrap().unwrap();
            (proposal.state != ProposalState::Queued && !proposal.waits).then_some(proposal)
        })
        .await
    }
}

fn verdict_of(page: &SubmissionPage) -> Option<Verdict> {
    page.judgement.as_ref().and_then(|judgement| judgement.verdict)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_package_becomes_a_problem_and_programs_get_verdicts() {
    let judge = Judge::start().await;
    assert_eq!(judge.offer(&[]).await, (PackageState::Ready, String::new()));
    let ann = judge.person("ann", Role::Contestant).await;
    let judy = judge.person("judy", Role::Judge).await;
    for (source, verdict, runs) in [
        ("print(sum(map(int, input().split())))", Verdict::Accepted, 2),
        ("print(3)", Verdict::WrongAnswer, 2),
        ("print 3", Verdict::CompileError, 0),
        ("raise SystemExit(1)", Verdict::RunTimeError, 1),
    ] {
        let id = judge.submit(&ann, "a.py", source).await;
        let page = judge.verdict(&ann, id).await;
        assert_eq!(verdict_of(&page), Some(verdict), "{source}");
        assert_eq!(page.runs.len(), runs, "{source}");
        let receipt = judge.verdict(&judy, id).await.judgement.unwrap().receipt.unwrap();
        for part in ["source", "tests", "checker", "tools", "flags", "limits", "sandbox"] {
            assert!(receipt.contains(&format!("\"{part}\":")), "{receipt}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_are_tried_without_being_handed_in_and_failed_samples_keep_their_output() {
    let judge = Judge::start().await;
    judge.offer(&[]).await;
    let ann = judge.person("ann", Role::Contestant).await;
    let right = judge.trial(&ann, "print(sum(map(int, input().split())))", None).await;
    assert_eq!(right.runs.len(), 1, "one sample");
    assert_eq!(right.runs[0].verdict, Verdict::Accepted);
    let wrong = judge.trial(&ann, "print('x' * 5000)", None).await;
    assert_eq!(wrong.runs[0].verdict, Verdict::WrongAnswer);
    assert_eq!((wrong.runs[0].output.len(), wrong.runs[0].output_bytes), (4096, 5001));
    let own = judge.trial(&ann, "print(input())\nraise SystemExit('bye')", Some("40 2\n")).await;
    assert_eq!((own.runs[0].verdict, own.runs[0].output.as_str()), (Verdict::RunTimeError, "40 2\n"));
    assert!(own.runs[0].errors.contains("bye") && own.runs[0].cause.as_ref().unwrap().contains("exit_code"));
    let broken = judge.trial(&ann, "print 3", None).await;
    assert!(!broken.compiled && !broken.compiler_output.is_empty());

    let failed = judge.submit(&ann, "a.py", "print('so')").await;
    let run = judge.verdict(&ann, failed).await.runs[0].clone();
    assert_eq!((run.sample, run.output.as_deref(), run.output_bytes), (true, Some(b"so\n".as_slice()), Some(3)));
    let failed = judge.submit(&ann, "a.py", "print(3 if input() == '1 2' else 4)").await;
    let run = judge.verdict(&ann, failed).await.runs[1].clone();
    assert_eq!((run.sample, run.verdict, run.output), (false, Verdict::WrongAnswer, None), "a secret test's output");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_problem_takes_no_more_code_than_its_package_says() {
    let judge = Judge::start().await;
    let settings = FILES[0].1.replace("limits:\n", "limits:\n  code: 1\n");
    assert_eq!(judge.offer(&[("problem.yaml", &settings)]).await.0, PackageState::Ready);
    let ann = judge.person("ann", Role::Contestant).await;
    let program = |bytes: usize| NewSubmission {
        contest: None,
        problem: "sum".to_owned(),
        language: "python3".parse().unwrap(),
        entry_point: None,
        files: vec![SourceFile::text("a.py", vec![b'#'; bytes]).unwrap()],
        repeat: Repeat::Never,
    };
    let refused = judge.service.submit(&ann, program(1_025), clock::now()).await;
    assert!(matches!(refused, Err(SubmitError::TooMuchCode { bytes: 1_025, most: 1_024 })), "{refused:?}");
    judge.service.submit(&ann, program(1_024), clock::now()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn references_that_disagree_keep_a_package_out() {
    let judge = Judge::start().await;
    let (state, message) = judge.offer(&[("data/secret/1.in", "2147483647 1\n")]).await;
    assert_eq!(state, PackageState::Refused);
    assert!(message.contains("secret/1: the references disagree"), "{message}");
    assert!(message.contains("2147483648"), "{message}");
    // Mended, it becomes a problem.
    assert_eq!(judge.offer(&[]).await.0, PackageState::Ready);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposed_input_becomes_a_test_or_is_refused_with_the_reason() {
    let judge = Judge::start().await;
    judge.offer(&[]).await;
    let root = judge.person("root", Role::Admin).await;
    let ann = judge.person("ann", Role::Contestant).await;
    let id = judge.submit(&ann, "a.py", "a, b = map(int, input().split())\nprint(a + b if a > 0 else 1)").await;
    assert_eq!(verdict_of(&judge.verdict(&ann, id).await), Some(Verdict::Accepted));

    let refused = judge.propose(&root, "words", "one two\n").await;
    assert_eq!(refused.state, ProposalState::Refused);
    assert!(refused.message.unwrap().contains("line 1: not two numbers"));
    let disagreed = judge.propose(&root, "large", "2147483647 1\n").await;
    assert_eq!(disagreed.state, ProposalState::Refused);
    let message = disagreed.message.unwrap();
    assert!(message.contains("disagree") && message.contains("`2147483648`") && message.contains("`0`"), "{message}");
    let accepted = judge.propose(&root, "negative", "-5 2\n").await;
    assert_eq!(accepted.state, ProposalState::Accepted);

    // The verdict stands until somebody judges again; then the new test decides.
    assert_eq!(verdict_of(&judge.verdict(&ann, id).await), Some(Verdict::Accepted));
    let begun =
        judge.service.begin_rejudging(Some(&root), &Selection::submission(id), "a new test", clock::now()).await;
    let begun = begun.unwrap().id;
    judge
        .until(async |judge| match judge.service.apply_rejudging(Some(&root), begun, None, clock::now()).await {
            Ok(()) => Some(()),
            Err(RejudgeError::NotDone { .. }) => None,
            Err(error) => panic!("{error}"),
        })
        .await;
    let page = judge
        .until(async |judge| {
            let page = judge.service.submission(Some(&ann), id).await.unwrap().unwrap();
            (verdict_of(&page) == Some(Verdict::WrongAnswer)).then_some(page)
        })
        .await;
    assert_eq!(page.runs.len(), 3);
    assert_eq!(page.history.len(), 2, "the old judgement stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stops_gives_its_work_back_and_a_lost_cache_is_filled_again() {
    let mut judge = Judge::start().await;
    judge.offer(&[]).await;
    let ann = judge.person("ann", Role::Contestant).await;
    let slow = "import time\nif input() == '5 7': time.sleep(1000)\nprint(3)\n";
    let id = judge.submit(&ann, "a.py", slow).await;
    // The first test is done, so the second is under way: the worker stops in the middle of it.
    judge
        .until(async |judge| {
            let page = judge.service.submission(Some(&ann), id).await.unwrap().unwrap();
            (!page.runs.is_empty()).then_some(())
        })
        .await;
    judge.dismiss().await;
    let page = judge.service.submission(Some(&ann), id).await.unwrap().unwrap();
    assert_eq!(verdict_of(&page), None, "a judgement that was not finished has no verdict");
    for folder in ["cache", "work"] {
        std::fs::remove_dir_all(judge.folder.path().join(folder)).unwrap();
    }
    judge.employ();
    let page = judge.verdict(&ann, id).await;
    assert_eq!(verdict_of(&page), Some(Verdict::TimeLimit));
    assert_eq!(page.runs.len(), 2, "no run of the first try is left over");
    // Everything still works afterwards.
    let next = judge.submit(&ann, "b.py", "print(sum(map(int, input().split())))").await;
    assert_eq!(verdict_of(&judge.verdict(&ann, next).await), Some(Verdict::Accepted));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_thread_hangs_is_given_up_and_told_as_our_fault() {
    // As far as the worker can see, a program that sleeps longer than its patience is a thread that hangs.
    let judge = Judge::start_with(Duration::from_secs(3)).await;
    judge.offer(&[("problem.yaml", PATIENT)]).await;
    let ann = judge.person("ann", Role::Contestant).await;
    let judy = judge.person("judy", Role::Judge).await;
    let id = judge.submit(&ann, "a.py", "import time\ntime.sleep(1000)\n").await;
    let page = judge.verdict(&judy, id).await;
    assert_eq!(verdict_of(&page), Some(Verdict::JudgingError), "never the contestant's fault");
    let cause = page.judgement.unwrap().judge_message.unwrap();
    assert!(cause.contains("given up after 3 attempts") && cause.contains("nothing was heard of this"), "{cause}");
}

/// What SQLite says of a disk in trouble, and how it is mended: the writer's one connection keeps both settings.
async fn set_on_writer(judge: &Judge, pragma: &str) {
    let mut tx = judge.store.begin_write().await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(pragma.to_owned())).execute(&mut *tx).await.unwrap();
    tx.roll_back().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_loses_nothing() {
    let judge = Judge::start().await;
    judge.offer(&[]).await;
    let ann = judge.person("ann", Role::Contestant).await;
    // The second run goes on only when the disk is full.
    let patient = format!("if input() == '5 7':\n    exec({:?})\nprint(3)\n", waits(Signal::WINCH, ""));
    let id = judge.submit(&ann, "a.py", &patient).await;
    judge
        .until(async |judge| {
            let page = judge.service.submission(Some(&ann), id).await.unwrap().unwrap();
            (!page.runs.is_empty()).then_some(())
        })
        .await;
    let here = std::process::id();
    tokio::task::block_in_place(|| until("the second run", || !waiting(here, Signal::WINCH).is_empty()));
    // SQLite takes a bound below the file's size for the file's size: not one page more.
    set_on_writer(&judge, "pragma max_page_count = 1").await;
    // Handing in says that it is our trouble; nothing half is written.
    let new = NewSubmission {
        contest: None,
        problem: "sum".to_owned(),
        language: "python3".parse().unwrap(),
        entry_point: None,
        files: vec![SourceFile::text("b.py", large_program()).unwrap()],
        repeat: Repeat::Never,
    };
    let error = judge.service.submit(&ann, new.clone(), clock::now()).await.unwrap_err();
    assert!(touchstone::store::is_disk_trouble(&error), "{error}");
    // The run ends while its result can't be written.
    tokio::task::block_in_place(|| {
        until("its end", || {
            tell(here, Signal::WINCH);
            waiting(here, Signal::WINCH).is_empty()
        });
    });
    set_on_writer(&judge, "pragma max_page_count = 1000000").await;
    let second = judge.service.submit(&ann, new, clock::now()).await.unwrap();
    assert_eq!(verdict_of(&judge.verdict(&ann, id).await), Some(Verdict::WrongAnswer));
    assert_eq!(verdict_of(&judge.verdict(&ann, second).await), Some(Verdict::WrongAnswer));
    let page = judge.service.submission(Some(&ann), id).await.unwrap().unwrap();
    assert_eq!((page.runs.len(), page.history.len()), (2, 1), "judged once, its runs once");
}

/// Larger than the room that is left in the file.
fn large_program() -> Vec<u8> {
    let mut noise: u64 = 88_172_645_463_325_252;
    let mut text = b"print('no')\n# ".to_vec();
    text.extend((0..60_000).map(|_| {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        b'a' + u8::try_from(noise % 26).unwrap()
    }));
    text
}
