//! Reaching NATS: credentials from a file, and what went wrong as a sentence.
//!
//! Owns: how a connection is made. Must not know: what is said over it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::rustls::Error as TlsError;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use serde::Deserialize;
use tokio::sync::watch;

use crate::domain::worker_name::WorkerName;

/// How long one try to connect may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How long a broken connection takes to be noticed, at most twice this.
const PING_EVERY: Duration = Duration::from_secs(5);
/// The longest wait between two tries to connect again.
const MOST_DELAY: Duration = Duration::from_secs(2);

/// The oldest version that can do what is asked of it: since then contents are read without a consumer.
const OLDEST: (u64, u64) = (2, 9);

/// What is wrong with the connection now, in a sentence; `None`: nothing.
pub type Link = watch::Sender<Option<String>>;

/// Where NATS is and who asks.
#[derive(Debug, Clone)]
pub struct Address {
    /// `nats://host:4222` or `tls://host:4222`.
    pub url: String,
    /// A file with credentials.
    pub credentials: Option<PathBuf>,
    /// A file with the certificates that are trusted instead of the system's.
    pub authorities: Option<PathBuf>,
}

/// Why NATS can't be used.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The address makes no sense.
    #[error("`{url}` is no address of NATS: {cause}; write nats://HOST:4222 or tls://HOST:4222")]
    Url {
        /// As given.
        url: String,
        /// What is wrong.
        cause: std::io::Error,
    },
    /// The file with credentials can't be used.
    #[error("the credentials in {} can't be used: {cause}", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// NATS doesn't let this one in.
    #[error(
        "NATS at {url} refuses these credentials; make new ones with `touchstone farm keys` and give its configuration to NATS"
    )]
    Refused {
        /// Where.
        url: String,
    },
    /// No encrypted connection comes about.
    #[error(
        "NATS at {url} can't be trusted: {cause}; its certificate must be for this host and of an authority that is known here, \
         or of the one named with --nats-ca"
    )]
    Untrusted {
        /// Where.
        url: String,
        /// What is wrong.
        cause: String,
    },
    /// Nobody answers there, or not in NATS' way.
    #[error("NATS can't be reached at {url}: {cause}")]
    Unreachable {
        /// Where.
        url: String,
        /// What went wrong.
        cause: String,
    },
    /// It is too old.
    #[error("NATS at {url} has version {version}; 2.9 or later is needed: install a newer nats-server there")]
    Old {
        /// Where.
        url: String,
        /// Its version.
        version: String,
    },
    /// NATS answers, and can't keep what it is given.
    #[error(
        "NATS at {url} can't keep jobs and contents: {cause}; JetStream must be enabled there (`jetstream {{}}` in its configuration)"
    )]
    Streams {
        /// Where.
        url: String,
        /// What went wrong.
        cause: String,
    },
}

impl LinkError {
    /// Whether trying again without a change by somebody is of no use.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Url { .. } | Self::Credentials { .. } | Self::Refused { .. })
    }
}

/// Credentials, as `touchstone farm keys` writes them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    /// The worker's name.
    name: Option<String>,
    /// The seed of the nkey.
    seed: String,
}

/// What a file with credentials holds.
enum Credentials {
    /// An nkey, and whose it is.
    Key(KeyFile),
    /// NATS' own form: a JWT and the seed of its nkey.
    Jwt(String),
}

fn read(path: &Path) -> Result<Credentials, LinkError> {
    let bad = |cause: String| LinkError::Credentials { path: path.to_owned(), cause };
    let text = std::fs::read_to_string(path).map_err(|cause| bad(cause.to_string()))?;
    if text.contains("BEGIN NATS USER JWT") {
        return Ok(Credentials::Jwt(text));
    }
    // The parser's own words would quote the line, and with it the secret.
    let unreadable =
        |_| bad("it must be a file that `touchstone farm keys` wrote, or NATS' own .creds file".to_owned());
    toml::from_str(&text).map(Credentials::Key).map_err(unreadable)
}

/// The worker's name that stands in a file with credentials.
pub fn name_in(path: &Path) -> Result<Option<WorkerName>, LinkError> {
    let Credentials::Key(KeyFile { name: Some(name), .. }) = read(path)? else { return Ok(None) };
    name.parse().map(Some).map_err(|cause: crate::domain::worker_name::BadWorkerName| LinkError::Credentials {
        path: path.to_owned(),
        cause: cause.to_string(),
    })
}

/// Connects once. Afterwards the connection mends itself for as long as it is held.
///
/// `inbox` is how the subjects of answers begin, `who` what NATS' own lists call this connection. `link` tells afterwards how
/// it is.
///
/// # Errors
/// [`LinkError`], without anything secret in its words.
pub async fn connect(address: &Address, who: &str, inbox: &str, link: Link) -> Result<Client, LinkError> {
    let url = address.url.clone();
    let server: ServerAddr = url.parse().map_err(|cause| LinkError::Url { url: shown(&url), cause })?;
    if server.host().is_empty() {
        return Err(LinkError::Url { url: shown(&url), cause: std::io::Error::other("it names no host") });
    }
    let mut options = match &address.credentials {
        None => ConnectOptions::new(),
        Some(path) => match read(path)? {
            Credentials::Key(key) => ConnectOptions::with_nkey(key.seed),
            Credentials::Jwt(text) => ConnectOptions::with_credentials(&text)
                .map_err(|cause| LinkError::Credentials { path: path.clone(), cause: cause.to_string() })?,
        },
    };
    if let Some(path) = &address.authorities {
        options = options.add_root_certificates(path.clone());
    }
    let options = options
        .name(who)
        .custom_inbox_prefix(inbox)
        .require_tls(server.tls_required())
        .connection_timeout(CONNECT_WITHIN)
        .ping_interval(PING_EVERY)
        .request_timeout(None)
        .reconnect_delay_callback(|tries| {
            Duration::from_millis(50).saturating_mul(u32::try_from(tries).unwrap_or(u32::MAX)).min(MOST_DELAY)
        })
        .event_callback({
            let url = shown(&url);
            move |event| {
                tell(&event, &url, &link);
                std::future::ready(())
            }
        });
    let client = options.connect(server).await.map_err(|error| {
        let url = shown(&url);
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => LinkError::Refused { url },
            kind if kind == ConnectErrorKind::Tls || is_about_certificates(&error) => {
                LinkError::Untrusted { url, cause: error.to_string() }
            }
            _ => LinkError::Unreachable { url, cause: error.to_string() },
        }
    })?;
    let version = client.server_info().version;
    if is_old(&version) { Err(LinkError::Old { url: shown(&url), version }) } else { Ok(client) }
}

/// Whether the other side's certificate is refused: that comes as a failure of reading.
fn is_about_certificates(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(|error| {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        error.is::<TlsError>() || inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<TlsError>)
    })
}

/// Whether a server's version is older than [`OLDEST`]. One that can't be read is taken for a new one.
fn is_old(version: &str) -> bool {
    let mut numbers = version.split('.').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < OLDEST,
        _ => false,
    }
}

/// The address without a password that may stand in it.
pub fn shown(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        (_, None) => url.to_owned(),
    }
}

fn tell(event: &Event, url: &str, link: &Link) {
    let broken = || format!("the connection to NATS at {url} broke; it is tried again");
    match event {
        Event::Connected => {
            tracing::info!("NATS is reached");
            link.send_if_modified(|told| told.as_ref().is_some_and(|told| *told == broken()) && told.take().is_some());
        }
        Event::Disconnected => {
            tracing::warn!("the connection to NATS broke; it is tried again");
            link.send_replace(Some(broken()));
        }
        Event::ServerError(error) => {
            tracing::error!(%error, "NATS refuses something");
            link.send_replace(Some(format!("NATS at {url} refuses something: {error}")));
        }
        // Told each time that it is tried again.
        Event::ClientError(error) => tracing::debug!(%error, "the connection to NATS has a fault"),
        event => tracing::debug!(%event, "NATS"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_addresses_are_not_told() {
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("me:secret@host"), "host");
        assert_eq!(shown("tls://host:4222"), "tls://host:4222");
    }

    #[test]
    fn old_versions_are_told_from_new_ones() {
        for old in ["1.4.1", "2.0.0", "2.8.4", "2.8.4-beta.1"] {
            assert!(is_old(old), "{old}");
        }
        for new in ["2.9.0", "2.9.10", "2.10.27", "2.12.1-RC.1", "3.0.0", "dev"] {
            assert!(!is_old(new), "{new}");
        }
    }

    #[test]
    fn a_file_with_mistakes_is_not_quoted() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "seed = SUSECRET").unwrap();
        let error = name_in(file.path()).unwrap_err().to_string();
        assert!(error.contains("farm keys") && !error.contains("SUSECRET"), "{error}");
        std::fs::write(file.path(), "name = 'judge-3'\nseed = 'SUX'").unwrap();
        assert_eq!(name_in(file.path()).unwrap().unwrap().as_str(), "judge-3");
    }
}
