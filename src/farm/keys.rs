//! What NATS must allow to whom, in the words of its configuration.
//!
//! Owns: the permissions. They follow from `wire::subjects`. Must not know: files, how keys are made.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;

use crate::domain::worker_name::WorkerName;

use super::wire::subjects;

/// A configuration to be written.
#[derive(Debug)]
pub struct NatsConfig<'a> {
    /// Where NATS listens.
    pub listen: SocketAddr,
    /// Where it keeps what it is given.
    pub store: &'a Path,
    /// Its certificate and the key of it, where it speaks TLS.
    pub tls: Option<(&'a Path, &'a Path)>,
    /// The server's public nkey.
    pub server: &'a str,
    /// Workers and their public nkeys.
    pub workers: &'a [(WorkerName, String)],
}

/// What a worker may say, and what it may hear.
pub fn permissions(worker: &WorkerName) -> (Vec<String>, Vec<String>) {
    let publish = vec![
        format!("touchstone.w.{worker}.*"),
        format!("$JS.API.CONSUMER.MSG.NEXT.{}.{worker}", subjects::JOBS),
        format!("$JS.ACK.{}.{worker}.>", subjects::JOBS),
        format!("$JS.API.DIRECT.GET.{}.{}", subjects::BLOBS, subjects::chunks_of(worker)),
    ];
    (publish, vec![format!("{}.>", subjects::inbox(worker)), subjects::BELL.to_owned()])
}

/// A text as NATS reads it back.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn list(subjects: &[String]) -> String {
    subjects.iter().map(|subject| quoted(subject)).collect::<Vec<_>>().join(", ")
}

impl NatsConfig<'_> {
    /// The file.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# Written by `touchstone farm keys`; run it again to add workers. Start NATS with it: nats-server -c nats.conf\n",
        );
        let _ = writeln!(text, "listen: {}", quoted(&self.listen.to_string()));
        let _ = writeln!(text, "max_payload: 1MB");
        let _ = writeln!(text, "jetstream {{\n  store_dir: {}\n}}", quoted(&self.store.to_string_lossy()));
        if let Some((certificate, key)) = self.tls {
            let (certificate, key) = (certificate.to_string_lossy(), key.to_string_lossy());
            let _ = writeln!(text, "tls {{\n  cert_file: {}\n  key_file: {}\n}}", quoted(&certificate), quoted(&key));
        }
        let _ = writeln!(text, "authorization {{\n  users: [");
        let _ = writeln!(text, "    # the server\n    {{ nkey: {} }}", self.server);
        for (worker, key) in self.workers {
            let (publish, subscribe) = permissions(worker);
            let _ = writeln!(
                text,
                "    # {worker}\n    {{ nkey: {key}, permissions: {{\n      publish: {{ allow: [{}] }}\n      \
                 subscribe: {{ allow: [{}] }}\n    }} }}",
                list(&publish),
                list(&subscribe)
            );
        }
        text.push_str("  ]\n}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_as_the_page_about_it_shows() {
        let workers = [("judge-1".parse().unwrap(), "UWORKER".to_owned())];
        let config = NatsConfig {
            listen: "0.0.0.0:4222".parse().unwrap(),
            store: Path::new("/var/lib/na\"ts"),
            tls: Some((Path::new("cert.pem"), Path::new("key.pem"))),
            server: "USERVER",
            workers: &workers,
        };
        insta::assert_snapshot!(config.text());
    }
}
