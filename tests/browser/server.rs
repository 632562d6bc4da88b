//! The real server, started in an empty folder as the README says.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;

pub struct Server {
    child: Child,
    address: String,
    setup: String,
    _folder: TempDir,
}

impl Server {
    /// Starts it and waits until both problems are ready.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_touchstone"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (lines, said) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // Nobody listens any more once everything is ready; the pipe is still drained.
                let _ = lines.send(line);
            }
        });
        let (mut address, mut setup, mut ready) = (String::new(), String::new(), 0);
        while ready < 2 {
            let line = said.recv_timeout(Duration::from_mins(4)).expect("the server never became ready");
            assert!(!line.contains("refused"), "{line}");
            if let Some(rest) = line.strip_prefix("Touchstone serves on ") {
                rest.clone_into(&mut address);
            } else if let Some((_, link)) = line.split_once("): ").filter(|_| line.starts_with("Set the first admin")) {
                link.clone_into(&mut setup);
            }
            ready += usize::from(line.contains(" is ready"));
        }
        assert!(!address.is_empty() && setup.starts_with(&address));
        Self { child, address, setup, _folder: folder }
    }

    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    pub fn setup_link(&self) -> &str {
        &self.setup
    }

    /// Asks it to stop, as systemd does; it must end well.
    pub fn stop(mut self) {
        let status = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(status.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
