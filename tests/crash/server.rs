//! The server's process: started on a data folder, killed or asked to stop.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::sync::mpsc;

use crate::waiting::descendants;

/// Far longer than a start takes on a busy machine.
const START_WITHIN: Duration = Duration::from_mins(2);

pub struct Server {
    child: Child,
    /// Then the child is the terminal, and the server is below it.
    on_terminal: bool,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Server {
    /// Starts it on a data folder; it is not up yet. What it logs is added to `log` beside the data.
    pub fn spawn(data: &Path) -> Self {
        Self::spawn_with(data, &[])
    }

    pub fn spawn_with(data: &Path, arguments: &[&str]) -> Self {
        Self::spawn_in(data, arguments, &[])
    }

    /// One whose allocator gives large pieces back as soon as they are freed, so that its memory is what it holds. As it
    /// comes, glibc keeps them for each thread.
    pub fn spawn_giving_back(data: &Path) -> Self {
        Self::spawn_in(data, &[], &[("MALLOC_MMAP_THRESHOLD_", "262144")])
    }

    fn spawn_in(data: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let log = File::options().create(true).append(true).open(data.join("log")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--no-builtin-problems", "--data"])
            .arg(data)
            .args(["--config".as_ref(), data.join("config.toml").as_os_str()])
            .args(arguments)
            .envs(environment.iter().copied())
            .stderr(log);
        if !arguments.contains(&"--workers") {
            command.args(["--workers", "2"]);
        }
        Self::start(command, false)
    }

    /// The same with a terminal for all that it says; what the terminal shows is `log` beside the data.
    pub fn spawn_on_terminal(data: &Path) -> Self {
        let program = env!("CARGO_BIN_EXE_touchstone");
        let folder = data.display();
        let line = format!(
            "exec {program} serve --listen 127.0.0.1:0 --no-builtin-problems --workers 2 --data {folder} --config \
             {folder}/config.toml"
        );
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--flush", "--command", &line]).arg(data.join("log")).stdin(Stdio::null());
        Self::start(command, true)
    }

    fn start(mut command: Command, on_terminal: bool) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (said, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // Nobody may listen any more; the pipe is still drained.
                let _ = said.send(line);
            }
        });
        Self { child, on_terminal, lines }
    }

    /// Its address, once it is up; `None` when it ended before.
    pub async fn address(&mut self) -> Option<String> {
        let up = async {
            while let Some(line) = self.lines.recv().await {
                if let Some(address) = line.strip_prefix("Touchstone serves on ") {
                    return Some(address.trim_end().to_owned());
                }
            }
            None
        };
        tokio::time::timeout(START_WITHIN, up).await.expect("the server doesn't come up")
    }

    /// Returns when it has closed its output: it has ended.
    pub async fn ended(&mut self) {
        while self.lines.recv().await.is_some() {}
    }

    pub fn id(&self) -> u32 {
        let child = self.child.id();
        if self.on_terminal { descendants(child)[0] } else { child }
    }

    /// SIGKILL: no goodbye.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, as systemd sends it; returns when it has ended.
    pub fn terminate(mut self) -> ExitStatus {
        let id = self.id().to_string();
        assert!(Command::new("kill").arg(&id).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
