//! A data folder with people, their API tokens and one small problem, and what can be asked of it from outside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{Row as _, SqlitePool};
use tempfile::TempDir;
use touchstone::clock;
use touchstone::domain::account::{Role, UserName};
use touchstone::service::problems::OfferedFile;
use touchstone::service::{Actor, Service};
use touchstone::store::Store;
use touchstone::store::account::{self, NewAccount};
use touchstone::store::api_token::Scopes;

use crate::waiting::{LOOK_EVERY, WAIT};

/// Only what the tests use, so that a start doesn't ask every compiler for its version.
pub const LANGUAGES: &str = r#"
[[tool]]
id = "python3"
names = ["python3"]
version = ["--version"]

[[language]]
id = "python3"
name = "Python 3"
extensions = ["py"]
default_for = ["py"]
main = "main.py"
tools = ["python3"]
keep = ["*.py"]
run = ["{tool:python3}", "-I", "-S", "-B", "/box/{main}"]
"#;

const YAML: &str = "problem_format_version: 2025-09\ntype: pass-fail\nname: Sum\n\
    uuid: 0d5b8a1e-6a0b-4a52-8d1a-3f5a6b7c8d9e\nlicense: cc0\nlimits:\n  time_limit: 5\n  memory: 256\n";

/// The problem's `problem.yaml` with another limit, seconds.
pub fn with_time_limit(seconds: u32) -> String {
    YAML.replace("time_limit: 5", &format!("time_limit: {seconds}"))
}

const PROBLEM: &[(&str, &str)] = &[
    ("problem.yaml", YAML),
    ("statement/problem.en.md", "Print the sum of two numbers.\n"),
    ("data/sample/1.in", "1 2\n"),
    ("data/sample/1.ans", "3\n"),
    ("data/secret/1.in", "5 7\n"),
    ("data/secret/2.in", "50 7\n"),
    (
        "input_validators/two.py",
        "import re, sys\nif re.fullmatch(r'-?\\d+ -?\\d+\\n', sys.stdin.read()): sys.exit(42)\nsys.exit(43)\n",
    ),
    ("submissions/accepted/a.py", "print(sum(map(int, input().split())))\n"),
    ("submissions/accepted/b.py", "a, b = map(int, input().split())\nprint(a + b)\n"),
];

/// How many tests the problem has.
pub const TESTS: usize = 3;

pub struct Folder {
    folder: TempDir,
    pub tokens: Vec<String>,
}

impl Folder {
    /// A judge that nobody has started yet: the server will prepare the problem.
    pub async fn new(people: usize) -> Self {
        Self::with(people, &[]).await
    }

    /// The same, with some files of the problem replaced and others added.
    pub async fn with(people: usize, changes: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let languages = folder.path().join("languages.toml");
        std::fs::write(&languages, LANGUAGES).unwrap();
        std::fs::write(folder.path().join("config.toml"), format!("languages = '{}'\n", languages.display())).unwrap();
        let store = Store::open(&folder.path().join("touchstone.sqlite")).await.unwrap();
        let service = Service::new(store.clone());
        service.ensure_builtin(Vec::new(), clock::now()).await.unwrap();
        let mut tokens = Vec::new();
        for number in 1..=people {
            let actor = somebody(&store, &format!("person{number}"), Role::Contestant).await;
            let scopes = Scopes { read: true, submit: true, manage: false };
            tokens.push(service.create_token(&actor, "test", scopes, clock::now()).await.unwrap());
        }
        let file =
            |(path, text): &(&str, &str)| OfferedFile { path: (*path).to_owned(), contents: text.as_bytes().to_vec() };
        let kept = PROBLEM.iter().filter(|(path, _)| changes.iter().all(|(changed, _)| changed != path));
        let files = kept.chain(changes).map(file).collect();
        service.offer_package(None, &"sum".parse().unwrap(), files, clock::now()).await.unwrap();
        store.close().await;
        Self { folder, tokens }
    }

    /// A judge's key to the API of the staff.
    pub async fn staff(&self) -> String {
        let store = Store::open(&self.database()).await.unwrap();
        let actor = somebody(&store, "judge", Role::Judge).await;
        let scopes = Scopes { read: true, submit: false, manage: true };
        let token = Service::new(store.clone()).create_token(&actor, "test", scopes, clock::now()).await.unwrap();
        store.close().await;
        token
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> PathBuf {
        self.path().join("touchstone.sqlite")
    }

    /// The file as another program opens it: to read.
    pub async fn look(&self) -> SqlitePool {
        let options = SqliteConnectOptions::new().filename(self.database()).read_only(true);
        SqlitePoolOptions::new().max_connections(1).connect_with(options).await.unwrap()
    }

    /// What a query counts.
    pub async fn count(&self, sql: &'static str) -> i64 {
        let pool = self.look().await;
        let count = sqlx::query(sql).fetch_one(&pool).await.unwrap().get(0);
        pool.close().await;
        count
    }

    /// Looks at the file until a query counts this much.
    pub async fn until(&self, what: &str, sql: &'static str, wanted: i64) {
        self.until_within(WAIT, what, sql, wanted, || {}).await;
    }

    /// The same, doing something before each look.
    pub async fn until_doing(&self, what: &str, sql: &'static str, wanted: i64, doing: impl FnMut()) {
        self.until_within(WAIT, what, sql, wanted, doing).await;
    }

    /// The same for what may take so long.
    pub async fn until_within(
        &self,
        wait: Duration,
        what: &str,
        sql: &'static str,
        wanted: i64,
        mut doing: impl FnMut(),
    ) {
        let pool = self.look().await;
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let looking = async {
            loop {
                looks.tick().await;
                doing();
                if sqlx::query(sql).fetch_one(&pool).await.unwrap().get::<i64, _>(0) >= wanted {
                    return;
                }
            }
        };
        let came = tokio::time::timeout(wait, looking).await;
        assert!(came.is_ok(), "{what} doesn't come; the log: {}", self.log());
        pool.close().await;
    }

    /// What the servers logged.
    pub fn whole_log(&self) -> String {
        std::fs::read_to_string(self.path().join("log")).unwrap_or_default()
    }

    /// The last of what the server logged.
    pub fn log(&self) -> String {
        let log = self.whole_log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Starts a server and waits until the problem takes submissions.
    pub async fn ready(&self) {
        self.until("the problem", "select count(*) from problem where state = 'published'", 1).await;
    }
}

async fn somebody(store: &Store, name: &str, role: Role) -> Actor {
    let user: UserName = name.parse().unwrap();
    let mut tx = store.begin_write().await.unwrap();
    let new = NewAccount { name: &user, display_name: name, role, password_hash: None };
    let id = account::insert(&mut tx, new, clock::now()).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    let account = account::by_id(store.read(), id).await.unwrap().unwrap();
    Actor {
        account_id: id,
        role,
        team_id: account.team_id,
        name: name.to_owned(),
        display_name: name.to_owned(),
        address: None,
    }
}
