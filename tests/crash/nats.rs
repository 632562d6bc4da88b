//! A real nats-server with a folder of its own, stopped and started on the same address.

use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Far longer than a start takes on a busy machine.
const START_WITHIN: Duration = Duration::from_mins(1);

pub struct Nats {
    folder: TempDir,
    host: String,
    port: u16,
    child: Option<Child>,
}

impl Nats {
    /// With what it needs to keep things, and nothing else said.
    pub fn start() -> Self {
        Self::start_with("")
    }

    /// With this in its configuration, too.
    pub fn start_with(more: &str) -> Self {
        Self::start_on("127.0.0.1", more)
    }

    /// On this address of this machine.
    pub fn start_on(host: &str, more: &str) -> Self {
        Self::start_holding(host, more, "512M")
    }

    /// With a disk of this size.
    pub fn start_holding(host: &str, more: &str, max_file: &str) -> Self {
        let port = TcpListener::bind((host, 0)).unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let configuration = format!(
            "listen: {host}:{port}\njetstream {{ store_dir: \"{}\", max_mem: 16M, max_file: {max_file} }}\n{more}\n",
            folder.path().join("store").display()
        );
        std::fs::write(folder.path().join("nats.conf"), configuration).unwrap();
        let mut nats = Self { folder, host: host.to_owned(), port, child: None };
        nats.start_again();
        nats
    }

    pub fn url(&self) -> String {
        format!("nats://{}:{}", self.host, self.port)
    }

    /// Where it speaks TLS.
    pub fn tls_url(&self) -> String {
        format!("tls://{}:{}", self.host, self.port)
    }

    /// SIGKILL: what it has not written is lost.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// On the same folder and address; returns when it greets.
    pub fn start_again(&mut self) {
        self.kill();
        let log = std::fs::File::options().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let child = Command::new("nats-server")
            .arg("-c")
            .arg(self.folder.path().join("nats.conf"))
            .env("PATH", format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default()))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("nats-server can't be started; apt-get install nats-server");
        self.child = Some(child);
        let begun = Instant::now();
        while !self.greets() {
            let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(begun.elapsed() < START_WITHIN, "nats-server doesn't come up: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn greets(&self) -> bool {
        let mut word = [0; 4];
        let stream = TcpStream::connect((self.host.as_str(), self.port));
        stream.and_then(|mut stream| stream.read_exact(&mut word)).is_ok() && word == *b"INFO"
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}
