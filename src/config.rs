//! One validated configuration from a TOML file, the environment and flags; a later source wins over an earlier one.
//!
//! Owns: names, defaults and checks of settings. Must not know: what the settings are used for.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

/// Where the server listens when nothing else is said.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
/// This machine, as a proxy on it has it.
const LOCAL: [&str; 2] = ["127.0.0.0/8", "::1"];
/// How much of contents NATS holds on their way when nothing else is said, bytes.
const DEFAULT_NATS_STORE_BYTES: u64 = 1 << 30;
/// Where the data lies when nothing else is said.
pub const DEFAULT_DATA: &str = "touchstone-data";

/// From how long on a statement of the database is worth a line in the log, milliseconds.
pub const DEFAULT_SLOW_STATEMENT_MS: u64 = 1_000;

/// Settings as they may be given; everything is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address and port.
    pub listen: Option<String>,
    /// Data folder.
    pub data: Option<PathBuf>,
    /// How many programs are judged at once.
    pub workers: Option<usize>,
    /// Whether each program stays on a processor of its worker's own.
    pub pin_cores: Option<bool>,
    /// Whether people reach the server by https, through a proxy.
    pub behind_tls: Option<bool>,
    /// A language table that replaces the built-in one.
    pub languages: Option<PathBuf>,
    /// Whether the built-in problems are offered.
    pub builtin_problems: Option<bool>,
    /// Addresses and networks of proxies whose word about a client's address is taken.
    pub trusted_proxies: Option<Vec<String>>,
    /// Where NATS is, over which workers on other machines judge.
    pub nats: Option<String>,
    /// The server's credentials for it.
    pub nats_creds: Option<PathBuf>,
    /// Certificates of the authorities that are trusted there instead of the system's.
    pub nats_ca: Option<PathBuf>,
    /// The most bytes of contents that NATS holds on their way.
    pub nats_store: Option<u64>,
    /// Whether the server judges itself, too.
    pub embedded_worker: Option<bool>,
    /// Statements of the database that take this many milliseconds or longer are logged; with 0 each one is.
    pub slow_statement_ms: Option<u64>,
}

impl Settings {
    /// Reads a TOML file.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text =
            std::fs::read_to_string(path).map_err(|cause| ConfigError::Unreadable { path: path.to_owned(), cause })?;
        toml::from_str(&text).map_err(|cause| ConfigError::Form { path: path.to_owned(), cause })
    }

    /// These settings, with what they leave open taken from `earlier`.
    #[must_use]
    pub fn over(self, earlier: Self) -> Self {
        Self {
            listen: self.listen.or(earlier.listen),
            data: self.data.or(earlier.data),
            workers: self.workers.or(earlier.workers),
            pin_cores: self.pin_cores.or(earlier.pin_cores),
            behind_tls: self.behind_tls.or(earlier.behind_tls),
            languages: self.languages.or(earlier.languages),
            builtin_problems: self.builtin_problems.or(earlier.builtin_problems),
            trusted_proxies: self.trusted_proxies.or(earlier.trusted_proxies),
            nats: self.nats.or(earlier.nats),
            nats_creds: self.nats_creds.or(earlier.nats_creds),
            nats_ca: self.nats_ca.or(earlier.nats_ca),
            nats_store: self.nats_store.or(earlier.nats_store),
            embedded_worker: self.embedded_worker.or(earlier.embedded_worker),
            slow_statement_ms: self.slow_statement_ms.or(earlier.slow_statement_ms),
        }
    }
}

/// The configuration of a server, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "an operator's switches, each by itself")]
pub struct Config {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// Folder of the database and the cache.
    pub data: PathBuf,
    /// Programs judged at once, at least 1.
    pub workers: usize,
    /// Whether each program stays on a processor of its worker's own.
    pub pin_cores: bool,
    /// Whether cookies are marked `Secure`.
    pub behind_tls: bool,
    /// Operator's language table.
    pub languages: Option<PathBuf>,
    /// Whether the built-in problems are offered on start; those that are there already stay.
    pub builtin_problems: bool,
    /// Addresses and networks of trusted proxies, as written. Behind TLS it is this machine unless something is said.
    pub trusted_proxies: Vec<String>,
    /// From how long on a statement of the database is logged.
    pub slow_statement: Duration,
    /// The farm, where there is one.
    pub farm: Option<FarmConfig>,
    /// Whether the server judges itself, too.
    pub embedded_worker: bool,
}

/// How workers on other machines are reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FarmConfig {
    /// Where NATS is.
    pub nats: String,
    /// The server's credentials for it.
    pub credentials: Option<PathBuf>,
    /// Certificates of the authorities that are trusted there instead of the system's.
    pub authorities: Option<PathBuf>,
    /// The most bytes of contents that NATS holds on their way.
    pub store_bytes: u64,
}

/// A configuration that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("the configuration {} can't be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        cause: std::io::Error,
    },
    /// The file has mistakes.
    #[error("the configuration {} has a mistake: {cause}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Where and what.
        cause: toml::de::Error,
    },
    /// No address.
    #[error("`{0}` is not an address to listen on; write ADDRESS:PORT, for example {DEFAULT_LISTEN}")]
    Listen(String),
    /// No workers.
    #[error("at least one worker is needed to judge anything; leave `workers` out to use one per core")]
    NoWorkers,
    /// Nobody at all.
    #[error("without its own worker the server needs others: say where NATS is with --nats")]
    NobodyJudges,
    /// Something about NATS, and no NATS.
    #[error("`{0}` says something about NATS, but not where it is; add --nats, for example nats://127.0.0.1:4222")]
    NoNats(&'static str),
}

impl Config {
    /// Checks settings; `cores` is how many the machine has.
    pub fn new(settings: Settings, cores: usize) -> Result<Self, ConfigError> {
        let listen = settings.listen.unwrap_or_else(|| DEFAULT_LISTEN.to_owned());
        let listen = listen.parse().map_err(|_| ConfigError::Listen(listen))?;
        let workers = settings.workers.unwrap_or_else(|| cores.max(1));
        if workers == 0 {
            return Err(ConfigError::NoWorkers);
        }
        let farm = farm(settings.nats, settings.nats_creds, settings.nats_ca, settings.nats_store)?;
        let embedded_worker = settings.embedded_worker.unwrap_or(true);
        if !embedded_worker && farm.is_none() {
            return Err(ConfigError::NobodyJudges);
        }
        let behind_tls = settings.behind_tls.unwrap_or(false);
        let local = || if behind_tls { LOCAL.map(str::to_owned).to_vec() } else { Vec::new() };
        Ok(Self {
            listen,
            data: settings.data.unwrap_or_else(|| PathBuf::from(DEFAULT_DATA)),
            workers,
            pin_cores: settings.pin_cores.unwrap_or(true),
            behind_tls,
            languages: settings.languages,
            builtin_problems: settings.builtin_problems.unwrap_or(true),
            trusted_proxies: settings.trusted_proxies.unwrap_or_else(local),
            farm,
            embedded_worker,
            slow_statement: Duration::from_millis(settings.slow_statement_ms.unwrap_or(DEFAULT_SLOW_STATEMENT_MS)),
        })
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.data.join("touchstone.sqlite")
    }

    /// The folder that may be deleted at any time.
    pub fn cache(&self) -> PathBuf {
        self.data.join("cache")
    }
}

fn farm(
    nats: Option<String>,
    credentials: Option<PathBuf>,
    authorities: Option<PathBuf>,
    store_bytes: Option<u64>,
) -> Result<Option<FarmConfig>, ConfigError> {
    let Some(nats) = nats else {
        let said = [
            ("nats_creds", credentials.is_some()),
            ("nats_ca", authorities.is_some()),
            ("nats_store", store_bytes.is_some()),
        ];
        let said = said.iter().find(|(_, is_said)| *is_said);
        return said.map_or(Ok(None), |(name, _)| Err(ConfigError::NoNats(name)));
    };
    let store_bytes = store_bytes.unwrap_or(DEFAULT_NATS_STORE_BYTES);
    Ok(Some(FarmConfig { nats, credentials, authorities, store_bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_source_wins() {
        let file = Settings { listen: Some("0.0.0.0:80".into()), workers: Some(3), ..Settings::default() };
        let flags = Settings { listen: Some("127.0.0.1:9".into()), ..Settings::default() };
        let config = Config::new(flags.over(file), 2).unwrap();
        assert_eq!((config.listen.port(), config.workers), (9, 3));
        assert_eq!(config.slow_statement, Duration::from_secs(1));
        let slow = |ms| Settings { slow_statement_ms: Some(ms), ..Settings::default() };
        assert_eq!(Config::new(slow(0).over(slow(7)), 2).unwrap().slow_statement, Duration::ZERO);
    }

    #[test]
    fn behind_tls_a_proxy_on_this_machine_is_trusted_unless_others_are_named() {
        let proxies = |behind_tls, trusted: Option<&str>| {
            let trusted_proxies = trusted.map(|one| vec![one.to_owned()]);
            let settings = Settings { behind_tls: Some(behind_tls), trusted_proxies, ..Settings::default() };
            Config::new(settings, 2).unwrap().trusted_proxies
        };
        assert_eq!(proxies(false, None), Vec::<String>::new());
        assert_eq!(proxies(true, None), LOCAL);
        assert_eq!(proxies(true, Some("10.0.0.1")), ["10.0.0.1"]);
        assert_eq!(proxies(false, Some("10.0.0.1")), ["10.0.0.1"]);
    }

    #[test]
    fn mistakes_are_sentences() {
        let wrong = Settings { listen: Some("8080".into()), ..Settings::default() };
        assert!(Config::new(wrong, 2).unwrap_err().to_string().contains("ADDRESS:PORT"));
        let nobody = Settings { embedded_worker: Some(false), ..Settings::default() };
        assert!(Config::new(nobody, 2).unwrap_err().to_string().contains("--nats"));
        let no_nats = Settings { nats_store: Some(1), ..Settings::default() };
        assert!(Config::new(no_nats, 2).unwrap_err().to_string().contains("nats_store"));
        let none = Settings { workers: Some(0), ..Settings::default() };
        assert!(matches!(Config::new(none, 2), Err(ConfigError::NoWorkers)));
        assert!(toml::from_str::<Settings>("lissten = 'x'").unwrap_err().to_string().contains("lissten"));
    }
}
