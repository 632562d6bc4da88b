//! A judge in a temporary folder: the real router, service and store, a clock that the test turns, a browser that
//! keeps cookies, and a worker that reports what the test tells it to.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use tempfile::TempDir;
use tokio_stream::StreamExt as _;
use touchstone::domain::account::Role;
use touchstone::domain::hash::Sha256;
use touchstone::domain::ids::TestCaseId;
use touchstone::domain::language::ShownCommand;
use touchstone::domain::limits::Limits;
use touchstone::domain::slug::Slug;
use touchstone::domain::time::EpochMs;
use touchstone::domain::trial::TrialOutcome;
use touchstone::domain::verdict::Verdict;
use touchstone::domain::verification::{ProgramResult, Side, TestResult, Verification, VerificationReport};
use touchstone::grading::timing::Multipliers;
use touchstone::grading::verification::LimitInForce;
use touchstone::service::{Actor, Service};
use touchstone::store::blob::{self, Blob};
use touchstone::store::host_fit::FitState;
use touchstone::store::job::{self, ClaimedJob, Work};
use touchstone::store::judging::{self, NewRun, Outcome, RunFacts};
use touchstone::store::package::{self, PackageFile, StatementFormat};
use touchstone::store::preparation::{self, NewStatement, Preparation};
use touchstone::store::test_case::{self, NewTestCase, TestOrigin};
use touchstone::store::{Names, Store, contest, judgement, problem, proposal, trial, verification, verification_end};
use touchstone::web::{self, AppState, OfferedLanguage};
use tower::ServiceExt as _;

/// 2026-03-01 12:00:00 UTC.
pub const NOON: EpochMs = EpochMs(1_772_366_400_000);

const SETTINGS: &str = "problem_format_version: 2025-09\nname: Sum\nlimits:\n  time_limit: 1\n  memory: 256\n";
const STATEMENT_EN: &str = "Read two numbers and print $a + b$.\n\n## Input\n\nTwo integers, $1 \\le a, b \\le 10^9$.\n\n\
    ## Output\n\nTheir sum.\n\n$$s = \\sum_{i=1}^{n} a_i$$\n\n<script>alert('statement')</script>\n";
const STATEMENT_ZH: &str =
    "读入两个整数，输出 $a + b$。\n\n## 输入\n\n两个整数，$1 \\le a, b \\le 10^9$。\n\n## 输出\n\n它们的和。\n";

/// The picture of the sample.
pub const PICTURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><circle r=\"2\">\
    <animate attributeName=\"cx\" values=\"1;2\" dur=\"1s\"/></circle></svg>";

/// Secret inputs carry this text: no page for contestants may contain it.
pub const SECRET_TEXT: &str = "7310985";

pub struct TestApp {
    pub store: Store,
    pub state: AppState,
    pub router: Router,
    now: Arc<AtomicI64>,
    folder: TempDir,
}

impl TestApp {
    /// A judge with the practice contest, the problem `sum` ready and the problem `paths` ready.
    pub async fn new() -> Self {
        let app = Self::empty().await;
        app.add_problem("sum", "A plus B", "两数之和", 3).await;
        app.add_problem("paths", "Paths & <trees>", "路径与树", 2).await;
        app
    }

    /// A judge with the practice contest and nothing in it.
    pub async fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("touchstone.sqlite")).await.unwrap();
        let mut tx = store.begin_write().await.unwrap();
        contest::ensure_practice(&mut tx, NOON).await.unwrap();
        tx.commit().await.unwrap();
        let now = Arc::new(AtomicI64::new(NOON.0));
        let clock = Arc::clone(&now);
        let language = |id: &str, name: &str, version: &str, extensions: &[&str]| OfferedLanguage {
            id: id.parse().unwrap(),
            name: name.to_owned(),
            version: version.to_owned(),
            extensions: extensions.iter().map(|&extension| extension.to_owned()).collect(),
            default_for: extensions.iter().map(|&extension| extension.to_owned()).collect(),
            compiler: (!extensions.is_empty()).then(|| ShownCommand {
                program: "g++".to_owned(),
                arguments: "-O2 {files}".to_owned(),
                version_command: "g++ --version".to_owned(),
            }),
            runner: None,
        };
        let languages = vec![
            language("cpp20", "C++20", "g++ 14.2", &["cpp", "cc", "cxx"]),
            language("python3", "Python 3", "CPython 3.13", &["py"]),
            language("elf", "ELF", "x86-64", &[]),
        ];
        let service = Arc::new(Service::new(store.clone()));
        let state = AppState::new(service, languages).await.unwrap();
        let state = state.with_clock(move || EpochMs(clock.load(Ordering::SeqCst)));
        Self { router: web::router(state.clone()), store, state, now, folder }
    }

    /// The clock's time.
    pub fn now(&self) -> EpochMs {
        EpochMs(self.now.load(Ordering::SeqCst))
    }

    /// The database file, with all that was committed in it.
    pub fn database(&self) -> std::path::PathBuf {
        self.folder.path().join("touchstone.sqlite")
    }

    /// Turns the clock.
    pub fn pass_ms(&self, ms: i64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }

    /// The same on this host.
    pub fn on(mut self, host: web::Host) -> Self {
        self.state = self.state.with_host(host);
        self.router = web::router(self.state.clone());
        self
    }

    /// Somebody new at a browser.
    pub fn browser(&self) -> Browser {
        Browser { address: None, router: self.router.clone(), cookies: BTreeMap::new(), language: "en" }
    }

    /// A machine has come to judge; its clock is an hour ahead.
    pub async fn machine(&self, name: &str) {
        let measure = r#"{"host":{"processor":"a fast <processor>"},
            "calibration":{"cpu_us":30000,"memory_us":30000,"calls_us":30000}}"#;
        let said = touchstone::store::farm_worker::Introduction {
            version: "0.1.0",
            slots: 2,
            refused: None,
            measure,
            clock_ahead_ms: 3_600_000,
            kind: &Sha256::of(b"a kind of machine"),
        };
        let mut tx = self.store.begin_write().await.unwrap();
        let name = name.parse().unwrap();
        touchstone::store::farm_worker::introduce(&mut tx, &name, &said, self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The first problem's limit was measured on this kind of machine.
    pub async fn fits(&self, kind: &Sha256, state: FitState) {
        let mut tx = self.store.begin_write().await.unwrap();
        let _: (String,) = sqlx::query_as(
            "insert into host_fit (package_id, test_set_id, kind, verification_id, state, limit_ms, least_ms, most_ms)
            select v.package_id, v.test_set_id, ?, v.id, ?, 1000, 1200, 900 from verification v where v.state = 'holds'
            order by v.id limit 1
            on conflict do update set state = excluded.state returning state",
        )
        .bind(kind.as_bytes().as_slice())
        .bind(state.as_str())
        .fetch_one(&mut *tx)
        .await
        .unwrap();
        tx.commit().await.unwrap();
    }

    /// A registered contestant at a browser.
    pub async fn contestant(&self, name: &str) -> Browser {
        let mut browser = self.browser();
        let form = [("name", name), ("password", "correct horse"), ("again", "correct horse")];
        let answer = browser.post("/register", &form).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
        browser
    }

    /// Somebody with this role at a browser.
    pub async fn with_role(&self, name: &str, role: Role) -> Browser {
        let browser = self.contestant(name).await;
        self.state.service.set_role(None, name, role, self.now()).await.unwrap();
        browser
    }

    /// An admin at a browser.
    pub async fn staff(&self, name: &str) -> Browser {
        self.with_role(name, Role::Admin).await
    }

    /// Imports a problem and lets a worker make it ready: one sample, the rest secret.
    pub async fn add_problem(&self, slug: &str, en: &str, zh: &str, tests: u32) {
        let slug: Slug = slug.parse().unwrap();
        let files = [
            ("problem.yaml", SETTINGS),
            ("statement/problem.en.md", STATEMENT_EN),
            ("statement/problem.zh.md", STATEMENT_ZH),
        ];
        let mut tx = self.store.begin_write().await.unwrap();
        let problem = problem::insert(&mut tx, &slug, self.now()).await.unwrap();
        let mut package_files = Vec::new();
        for (path, text) in files {
            let blob = Blob::new(text.as_bytes().to_vec());
            blob::insert(&mut tx, &blob).await.unwrap();
            let (sha256, bytes) = (blob.sha256(), blob.bytes());
            package_files.push(PackageFile { path: path.to_owned(), sha256, bytes, executable: false });
        }
        let tree = Sha256::of(slug.as_str().as_bytes());
        let package = package::insert(&mut tx, problem, tree, &package_files, None, self.now()).await.unwrap();
        job::queue(&mut tx, Work::Prepare(package), job::PRIORITY_PREPARE, None, self.now()).await.unwrap();
        tx.commit().await.unwrap();
        let claimed = self.claim().await.unwrap();
        let statement = |language: &str| NewStatement {
            language: language.to_owned(),
            format: StatementFormat::Markdown,
            path: format!("statement/problem.{language}.md"),
        };
        let mut tx = self.store.begin_write().await.unwrap();
        let mut cases = Vec::new();
        for number in 1..=tests {
            let sample = number == 1;
            let input = if sample { "1 2\n".to_owned() } else { format!("{SECRET_TEXT} {number}\n") };
            let answer = if sample { "3\n".to_owned() } else { format!("{SECRET_TEXT}{number}\n") };
            let (input, answer) = (Blob::new(input.into_bytes()), Blob::new(answer.into_bytes()));
            blob::insert(&mut tx, &input).await.unwrap();
            blob::insert(&mut tx, &answer).await.unwrap();
            let group = if sample { "sample" } else { "secret" };
            cases.push(NewTestCase {
                name: format!("{group}/{number:02}"),
                group: group.to_owned(),
                sample,
                input_sha256: input.sha256(),
                answer_sha256: answer.sha256(),
                input_bytes: input.bytes(),
                answer_bytes: answer.bytes(),
                origin: TestOrigin::File,
                recipe: None,
                config: "{}".to_owned(),
            });
        }
        let names = [("en", en), ("zh", zh)].map(|(code, name)| (code.to_owned(), name.to_owned()));
        let preparation = Preparation {
            names: Names(BTreeMap::from(names)),
            languages: None,
            limits: Limits {
                cpu_ms: 1_000,
                wall_ms: 3_000,
                memory_bytes: 256 * 1024 * 1024,
                output_bytes: 8 * 1024 * 1024,
                processes: 64,
            },
            metadata: "{}".to_owned(),
            statements: vec![statement("en"), statement("zh")],
            tests: cases,
            pictures: vec![(Sha256::of(b"1 2\n"), PICTURE.to_owned())],
        };
        preparation::finish_preparation(&mut tx, claimed.lease, &preparation, self.now()).await.unwrap();
        tx.commit().await.unwrap();
        self.verify(true).await;
    }

    /// Reports on the next verification: two references, a wrong program that holds or survives, a slow one.
    pub async fn verify(&self, holds: bool) {
        let claimed = self.claim().await.expect("a queued verification");
        let Work::Verify(id) = claimed.work else { panic!("not a verification: {:?}", claimed.work) };
        let tests = verification::task(self.store.read(), id).await.unwrap().tests;
        let names = tests.into_iter().map(|test| test.name).collect();
        let programs = programs(holds);
        let limit =
            LimitInForce { limit_ms: 1_000, declared: true, multipliers: Multipliers::default(), resolution_ms: 100 };
        let verification = Verification::new("sum", names, &programs, limit, Vec::new());
        let faults: Vec<String> =
            verification.faults.iter().map(|fault| format!("{}: {}", fault.subject, fault.sentence)).collect();
        let report = VerificationReport { verification, not_run: vec!["accepted/c.rs: no rustc was found".to_owned()] };
        let outcome = verification_end::Outcome {
            holds: faults.is_empty(),
            report: serde_json::to_string(&report).unwrap(),
            message: (!faults.is_empty()).then(|| faults.join("\n")),
            limits: None,
            measured: None,
        };
        for program in &programs {
            let json = serde_json::to_string(program).unwrap();
            let mut tx = self.store.begin_write().await.unwrap();
            verification::record_program(&mut tx, claimed.lease, &program.name, &json, self.now()).await.unwrap();
            tx.commit().await.unwrap();
        }
        let mut tx = self.store.begin_write().await.unwrap();
        verification_end::finish(&mut tx, claimed.lease, &outcome, self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// A new version of a problem's package with another time limit and the same tests.
    pub async fn change_limits_of_new_version(&self, slug: &str, cpu_ms: u64) {
        let page = problem::page(self.store.read(), slug).await.unwrap().unwrap();
        let tests = test_case::list(self.store.read(), page.test_set_id).await.unwrap();
        let files = package::files(self.store.read(), page.package_id).await.unwrap();
        let mut tx = self.store.begin_write().await.unwrap();
        let tree = Sha256::of(format!("{slug} with {cpu_ms}").as_bytes());
        let package = package::insert(&mut tx, page.id, tree, &files, None, self.now()).await.unwrap();
        job::queue(&mut tx, Work::Prepare(package), job::PRIORITY_PREPARE, None, self.now()).await.unwrap();
        tx.commit().await.unwrap();
        let claimed = self.claim().await.unwrap();
        let tests = tests.into_iter().map(|test| NewTestCase {
            name: test.name,
            group: test.group,
            sample: test.sample,
            input_sha256: test.input_sha256,
            answer_sha256: test.answer_sha256,
            input_bytes: test.input_bytes,
            answer_bytes: test.answer_bytes,
            origin: TestOrigin::File,
            recipe: None,
            config: test.config,
        });
        let preparation = Preparation {
            names: page.names,
            languages: None,
            limits: Limits { cpu_ms, ..page.limits },
            metadata: "{}".to_owned(),
            statements: Vec::new(),
            tests: tests.collect(),
            pictures: Vec::new(),
        };
        let mut tx = self.store.begin_write().await.unwrap();
        preparation::finish_preparation(&mut tx, claimed.lease, &preparation, self.now()).await.unwrap();
        tx.commit().await.unwrap();
        self.verify(true).await;
    }

    /// What is kept of the one API token.
    pub async fn stored_token_hash(&self) -> Vec<u8> {
        let rows: Vec<(Vec<u8>,)> =
            sqlx::query_as("select token_sha256 from api_token").fetch_all(self.store.read()).await.unwrap();
        assert_eq!(rows.len(), 1);
        rows.into_iter().next().unwrap().0
    }

    /// The worker's next job.
    pub async fn claim(&self) -> Option<ClaimedJob> {
        let mut tx = self.store.begin_write().await.unwrap();
        let claimed = job::claim(&mut tx, "scripted", self.now()).await.unwrap();
        tx.commit().await.unwrap();
        claimed
    }

    /// Judges the next submission: a verdict per test; the first that isn't AC decides. `CE` alone is a compile error.
    pub async fn judge(&self, verdicts: &[Verdict]) {
        let claimed = self.claim().await.expect("a queued judgement");
        self.finish(claimed, verdicts).await;
    }

    /// Reports on a claimed judgement.
    pub async fn finish(&self, claimed: ClaimedJob, verdicts: &[Verdict]) {
        self.run_tests(claimed, verdicts).await;
        let decisive = verdicts.iter().position(|verdict| !verdict.solved());
        let verdict = decisive.map_or(Verdict::Accepted, |index| verdicts[index]);
        let compile_error = verdict == Verdict::CompileError;
        let outcome = Outcome {
            failed_ordinal: decisive.filter(|_| !compile_error).map(|index| u32::try_from(index).unwrap() + 1),
            compiler_output: compile_error
                .then(|| "main.cpp:1:1: error: <script>alert('compiler')</script>\n".to_owned()),
            judge_message: (verdict == Verdict::WrongAnswer).then(|| format!("expected {SECRET_TEXT}")),
            cpu_ms: (!compile_error).then_some(120),
            memory_bytes: (!compile_error).then_some(3_565_158),
            ..Outcome::new(verdict)
        };
        let mut tx = self.store.begin_write().await.unwrap();
        judging::finish_judgement(&mut tx, claimed.lease, &outcome, self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Finishes a judgement whose runs are recorded already.
    pub async fn finish_without_runs(&self, claimed: ClaimedJob, verdict: Verdict, failed_ordinal: u32) {
        let outcome = Outcome { failed_ordinal: Some(failed_ordinal), ..Outcome::new(verdict) };
        let mut tx = self.store.begin_write().await.unwrap();
        judging::finish_judgement(&mut tx, claimed.lease, &outcome, self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Records runs of a claimed judgement.
    pub async fn run_tests(&self, claimed: ClaimedJob, verdicts: &[Verdict]) {
        let Work::Judge(id) = claimed.work else { panic!("not a judgement: {:?}", claimed.work) };
        let tests = judgement::task(&self.store, id).await.unwrap().tests;
        for (verdict, test) in
            verdicts.iter().zip(tests.iter()).filter(|(verdict, _)| **verdict != Verdict::CompileError)
        {
            let run = run(test.id, test.ordinal, *verdict);
            let mut tx = self.store.begin_write().await.unwrap();
            judging::record_run(&mut tx, claimed.lease, &run, self.now()).await.unwrap();
            tx.commit().await.unwrap();
        }
    }

    /// Reports on the next trial.
    pub async fn finish_trial(&self, outcome: &TrialOutcome) {
        let claimed = self.claim().await.expect("a queued trial");
        let mut tx = self.store.begin_write().await.unwrap();
        trial::finish(&mut tx, claimed.lease, outcome, self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The ids of the tests of the queued trial's samples.
    pub async fn samples(&self, slug: &str) -> Vec<TestCaseId> {
        let page = problem::page(self.store.read(), slug).await.unwrap().unwrap();
        let tests = test_case::list(self.store.read(), page.test_set_id).await.unwrap();
        tests.into_iter().filter(|test| test.sample).map(|test| test.id).collect()
    }

    /// Refuses the next proposed test.
    pub async fn refuse_proposal(&self, message: &str, difference: Option<&str>) {
        let claimed = self.claim().await.expect("a queued proposal");
        let mut tx = self.store.begin_write().await.unwrap();
        proposal::refuse_proposal(&mut tx, claimed.lease, message, difference, self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Refuses the next package that waits; other work is taken and left.
    pub async fn refuse_package(&self) {
        let lease = loop {
            let claimed = self.claim().await.expect("a queued package");
            if matches!(claimed.work, Work::Prepare(_)) {
                break claimed.lease;
            }
        };
        let mut tx = self.store.begin_write().await.unwrap();
        preparation::refuse_preparation(&mut tx, lease, "a reference fails", self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Answers the next proposed test.
    pub async fn accept_proposal(&self, answer: &str) {
        let claimed = self.claim().await.expect("a queued proposal");
        let Work::Propose(id) = claimed.work else { panic!("not a proposal: {:?}", claimed.work) };
        let package_id = proposal::task(self.store.read(), id).await.unwrap().package_id;
        let blob = Blob::new(answer.as_bytes().to_vec());
        let mut tx = self.store.begin_write().await.unwrap();
        blob::insert(&mut tx, &blob).await.unwrap();
        let answer = proposal::Answer {
            package_id,
            sha256: blob.sha256(),
            bytes: blob.bytes(),
            config: "{}".to_owned(),
            made: None,
        };
        proposal::accept_proposal(&mut tx, claimed.lease, answer, self.now()).await.unwrap();
        tx.commit().await.unwrap();
    }
}

/// Two references, a wrong program that a test rejects or none, a slow one.
fn programs(holds: bool) -> Vec<ProgramResult> {
    let program = |name: &str, expected: &str, bounds, verdicts: &[(Verdict, u64)]| ProgramResult {
        name: name.to_owned(),
        expected: expected.to_owned(),
        broken: None,
        got: verdicts.iter().map(|run| run.0).find(|verdict| !verdict.solved()).unwrap_or(Verdict::Accepted),
        bounds,
        wrong: expected != "AC",
        runs: verdicts
            .iter()
            .enumerate()
            .map(|(test, &(verdict, cpu_ms))| TestResult { test, verdict, cpu_ms, reused: false, alone: false })
            .collect(),
    };
    let wrong = if holds { Verdict::WrongAnswer } else { Verdict::Accepted };
    let mut found = vec![
        program("accepted/a.cpp", "AC", Some(Side::Below), &[(Verdict::Accepted, 2), (Verdict::Accepted, 310)]),
        program("accepted/b.py", "AC", Some(Side::Below), &[(Verdict::Accepted, 20), (Verdict::Accepted, 450)]),
        program("wrong_answer/<minus>.py", "WA", None, &[(Verdict::Accepted, 20), (wrong, 30)]),
        program(
            "time_limit_exceeded/slow.py",
            "TLE",
            Some(Side::Above),
            &[(Verdict::Accepted, 20), (Verdict::TimeLimit, 1_900)],
        ),
    ];
    if !holds {
        found[2].broken = Some("no test gave WA".to_owned());
    }
    found
}

fn run(test_case_id: TestCaseId, ordinal: u32, verdict: Verdict) -> NewRun {
    let failed = !verdict.solved();
    NewRun {
        ordinal,
        test_case_id,
        verdict,
        score: None,
        cpu_ms: u64::from(ordinal) * 40,
        wall_ms: u64::from(ordinal) * 45,
        memory_bytes: 3_565_158,
        message: (verdict == Verdict::RunTimeError).then(|| "killed by SIGSEGV <b>".to_owned()),
        judge_message: failed.then(|| format!("line 1: expected {SECRET_TEXT}, got 0")),
        facts: RunFacts {
            cause: match verdict {
                Verdict::RunTimeError => {
                    Some(r#"{"cause":"signal","signal":8,"stack_overflow_hint":false}"#.to_owned())
                }
                Verdict::TimeLimit => Some(r#"{"cause":"cpu","used_ms":1100,"limit_ms":1000}"#.to_owned()),
                _ => None,
            },
            times_run: 1,
            // Of the first test, the sample.
            output: (failed && ordinal == 1).then(|| (b"4 <i>\n".to_vec(), 6)),
        },
    }
}

/// A browser: cookies, a language, forms with the token of the page they are on.
#[derive(Clone)]
pub struct Browser {
    address: Option<SocketAddr>,
    router: Router,
    cookies: BTreeMap<String, String>,
    pub language: &'static str,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// Where it leads.
    pub fn location(&self) -> &str {
        self.headers.get(header::LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// A part of a multipart form.
#[derive(Clone)]
pub enum Part<'a> {
    Text(&'a str, &'a str),
    File(&'a str, &'a str, &'a [u8]),
}

impl Browser {
    /// Somebody new at a browser before this state's pages.
    pub fn of(state: AppState) -> Self {
        Self { address: None, router: web::router(state), cookies: BTreeMap::new(), language: "en" }
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.send(Method::GET, path, None, Vec::new(), None).await
    }

    /// Posts a form as it would be posted from a page.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.token().await;
        self.post_with(path, fields, &token, None).await
    }

    /// Posts a form with this token, saying it came from `site`.
    pub async fn post_with(&mut self, path: &str, fields: &[(&str, &str)], token: &str, site: Option<&str>) -> Answer {
        let pairs = fields.iter().copied().chain([("csrf", token)]);
        let body: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", escape(value))).collect();
        let kind = "application/x-www-form-urlencoded".to_owned();
        self.send(Method::POST, path, Some(kind), body.join("&").into_bytes(), site).await
    }

    /// Posts a form with files as it would be posted from a page.
    pub async fn upload(&mut self, path: &str, parts: &[Part<'_>]) -> Answer {
        let token = self.token().await;
        let mut body = Vec::new();
        let parts = [Part::Text("csrf", &token)].into_iter().chain(parts.iter().map(|part| match part {
            Part::Text(name, value) => Part::Text(name, value),
            Part::File(name, file, contents) => Part::File(name, file, contents),
        }));
        for part in parts {
            let (disposition, contents) = match part {
                Part::Text(name, value) => (format!("name=\"{name}\""), value.as_bytes()),
                Part::File(name, file, contents) => (format!("name=\"{name}\"; filename=\"{file}\""), contents),
            };
            body.extend(format!("--edge\r\nContent-Disposition: form-data; {disposition}\r\n\r\n").into_bytes());
            body.extend_from_slice(contents);
            body.extend(b"\r\n");
        }
        body.extend(b"--edge--\r\n");
        self.send(Method::POST, path, Some("multipart/form-data; boundary=edge".to_owned()), body, None).await
    }

    /// The token that this browser's forms carry now.
    pub async fn token(&mut self) -> String {
        let page = self.get("/login").await.body;
        let start = page.find("name=\"csrf\" value=\"").expect("a form") + "name=\"csrf\" value=\"".len();
        page[start..start + 64].to_owned()
    }

    /// Who this browser is logged in as.
    pub async fn actor(&mut self, app: &TestApp) -> Actor {
        let token = self.cookies.get("touchstone_session").expect("a session");
        app.state.service.session(token, app.now()).await.unwrap().unwrap().actor
    }

    /// The events of a live page.
    pub async fn events(&mut self, path: &str) -> Events {
        let request = self.prepare(Method::GET, path).body(Body::empty()).unwrap();
        let response = self.request(request).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(response.headers().get(header::CONTENT_TYPE).unwrap(), "text/event-stream");
        Events { body: response.into_body().into_data_stream(), rest: String::new() }
    }

    /// The first event of a live page.
    pub async fn first_event(&mut self, path: &str) -> String {
        self.events(path).await.next().await
    }

    /// Puts a cookie into the browser.
    pub fn keep(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    /// From now on requests come from this network address.
    pub fn connect_from(&mut self, address: SocketAddr) {
        self.address = Some(address);
    }

    /// A request as it is; the answer's cookies are kept.
    pub async fn request(&mut self, mut request: Request<Body>) -> axum::response::Response {
        if let Some(address) = self.address {
            request.extensions_mut().insert(ConnectInfo(address));
        }
        let response = self.router.clone().oneshot(request).await.unwrap();
        for cookie in response.headers().get_all(header::SET_COOKIE) {
            let (pair, rest) = cookie.to_str().unwrap().split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if rest.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        response
    }

    /// A request with this browser's cookies.
    pub fn prepare(&self, method: Method, path: &str) -> axum::http::request::Builder {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::ACCEPT_LANGUAGE, self.language)
            .header(header::COOKIE, cookies.join("; "))
    }

    async fn send(
        &mut self,
        method: Method,
        path: &str,
        kind: Option<String>,
        body: Vec<u8>,
        site: Option<&str>,
    ) -> Answer {
        let mut request = self.prepare(method, path);
        if let Some(kind) = kind {
            request = request.header(header::CONTENT_TYPE, kind).header(header::CONTENT_LENGTH, body.len());
        }
        if let Some(site) = site {
            request = request.header("sec-fetch-site", site);
        }
        let response = self.request(request.body(Body::from(body)).unwrap()).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = axum::body::to_bytes(response.into_body(), 64 << 20).await.unwrap();
        Answer { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
    }
}

/// A stream of server-sent events.
pub struct Events {
    body: axum::body::BodyDataStream,
    rest: String,
}

impl Events {
    /// The next event; waits for it ten seconds.
    pub async fn next(&mut self) -> String {
        loop {
            if let Some((event, rest)) = self.rest.split_once("\n\n").map(|(a, b)| (a.to_owned(), b.to_owned())) {
                self.rest = rest;
                return event;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(10), self.body.next()).await.expect("no event came");
            self.rest.push_str(std::str::from_utf8(&chunk.expect("the stream ended").unwrap()).unwrap());
        }
    }

    /// Waits until the stream ends.
    pub async fn finished(mut self) {
        while self.body.next().await.is_some() {}
    }
}

/// `application/x-www-form-urlencoded`.
fn escape(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
