//! A worker's process on this machine, as one on another would be.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::folder::Folder;
use crate::waiting::WAIT;

/// A worker's process.
pub struct Worker {
    name: String,
    cache: PathBuf,
    child: Child,
}

impl Worker {
    pub fn start(folder: &Folder, nats: &str, name: &str) -> Self {
        Self::start_with(folder, nats, name, &[])
    }

    pub fn start_with(folder: &Folder, nats: &str, name: &str, arguments: &[&str]) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_touchstone")), folder, nats, name, arguments)
    }

    /// With a language table of its own.
    pub fn start_with_languages(folder: &Folder, nats: &str, name: &str, languages: &str) -> Self {
        let (table, config) = (folder.path().join(format!("{name}.table")), folder.path().join(format!("{name}.toml")));
        std::fs::write(&table, languages).unwrap();
        std::fs::write(&config, format!("languages = '{}'\n", table.display())).unwrap();
        Self::spawn(Command::new(env!("CARGO_BIN_EXE_touchstone")), folder, nats, name, &[], &config)
    }

    /// By a command that starts it.
    pub fn start_by(command: Command, folder: &Folder, nats: &str, name: &str, arguments: &[&str]) -> Self {
        Self::spawn(command, folder, nats, name, arguments, &folder.path().join("config.toml"))
    }

    fn spawn(mut command: Command, folder: &Folder, nats: &str, name: &str, arguments: &[&str], config: &Path) -> Self {
        let cache = folder.path().join(name);
        std::fs::create_dir_all(&cache).unwrap();
        let log = File::options().create(true).append(true).open(cache.join("log")).unwrap();
        let child = command
            .args(["worker", "--nats", nats, "--name", name, "--slots", "1", "--data"])
            .arg(&cache)
            .args(["--config".as_ref(), config.as_os_str()])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        Self { name: name.to_owned(), cache, child }
    }

    pub fn log_file(&self) -> PathBuf {
        self.cache.join("log")
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    /// Looks at the log until it says this.
    pub async fn says(&self, words: &str) {
        let looking = async {
            while !self.log().contains(words) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let came = tokio::time::timeout(WAIT, looking).await;
        assert!(came.is_ok(), "{} never says {words:?}: {}", self.name, self.log());
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: &str) {
        let id = self.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
    }

    /// SIGKILL: no goodbye.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn terminate(mut self) -> ExitStatus {
        self.signal("TERM");
        self.child.wait().unwrap()
    }

    /// How it ended by itself.
    pub fn ended(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
