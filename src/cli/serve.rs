//! `touchstone serve`: pages, workers and the database in one process.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::{Config, FarmConfig, Settings};
use crate::domain::ids::ProblemId;
use crate::farm::connect::Address;
use crate::farm::server::{self, Setup};
use crate::farm::wire::call::{Measure, Offered};
use crate::judge::local::LocalSource;
use crate::judge::worker::{self, Tools};
use crate::judge::workshop::Workshop;
use crate::sandbox::doctor::Finding;
use crate::service::Service;
use crate::store::package::PackageState;
use crate::store::{Store, problem};
use crate::web::extract::client::TrustedProxies;
use crate::web::{self, AppState, OfferedLanguage, listen};
use crate::{clock, telemetry};

use super::demo::Demo;
use super::judging_host::{clean, lock_data, measure, open_tools};
use super::{builtin, host, workshop};

/// How long a clean stop may take before what is left is cut off: workers need three seconds to give their jobs back.
const STOP_WITHIN: Duration = Duration::from_secs(6);
/// How long threads that still wait for a program may take after that, and the database to be closed.
const END_WITHIN: Duration = Duration::from_secs(1);

/// Serve the judge's pages and judge what is handed in (the default command)
///
/// On first start it makes its database in the data folder, prepares the built-in problems and prints a link that sets
/// the first admin's password. It stops cleanly on SIGTERM or Ctrl-C: judgements under way are given back and taken up
/// at the next start. A setting may also stand in the environment or in a TOML file; flags win over the environment,
/// and that over the file.
#[derive(Debug, Default, clap::Args)]
#[command(
    after_help = "Examples:\n  touchstone serve\n  touchstone serve --listen 0.0.0.0:8080 --data /srv/touchstone \
                        --behind-tls"
)]
#[expect(clippy::struct_excessive_bools, reason = "an operator's switches, each by itself")]
pub struct ServeArgs {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT", env = "TOUCHSTONE_LISTEN")]
    listen: Option<String>,
    /// Folder of the database and the cache
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA")]
    data: Option<PathBuf>,
    /// How many programs are judged at once (default: one per core)
    #[arg(long, value_name = "N", env = "TOUCHSTONE_WORKERS")]
    workers: Option<usize>,
    /// Let programs run on any core (default: those of one worker keep to one core)
    #[arg(long, env = "TOUCHSTONE_NO_PINNING")]
    no_pinning: bool,
    /// People reach the server by https, through a proxy: cookies are marked Secure
    #[arg(long, env = "TOUCHSTONE_BEHIND_TLS")]
    behind_tls: bool,
    /// A proxy whose word about a client's address (X-Forwarded-For) is taken: an address or a network, may be given
    /// several times (default with --behind-tls: this machine)
    #[arg(long, value_name = "ADDRESS", env = "TOUCHSTONE_TRUSTED_PROXIES", value_delimiter = ',')]
    trusted_proxy: Option<Vec<String>>,
    /// Begin without the built-in problems; those that are there already stay
    #[arg(long, env = "TOUCHSTONE_NO_BUILTIN_PROBLEMS")]
    no_builtin_problems: bool,
    /// Let workers on other machines judge, too: where NATS is that they come over (`nats://HOST:4222`, `tls://HOST:4222`)
    #[arg(long, value_name = "URL", env = "TOUCHSTONE_NATS")]
    nats: Option<String>,
    /// The server's credentials for NATS, as `touchstone farm keys` writes them
    #[arg(long, value_name = "FILE", env = "TOUCHSTONE_NATS_CREDS")]
    nats_creds: Option<PathBuf>,
    /// Certificates of the authorities that are trusted for NATS instead of the system's (PEM)
    #[arg(long, value_name = "FILE", env = "TOUCHSTONE_NATS_CA")]
    nats_ca: Option<PathBuf>,
    /// The most bytes of tests and programs that NATS holds on their way (default: 1 GiB)
    #[arg(long, value_name = "BYTES", env = "TOUCHSTONE_NATS_STORE")]
    nats_store: Option<u64>,
    /// Judge only on other machines; this one then needs neither compilers nor a sandbox
    #[arg(long, env = "TOUCHSTONE_NO_EMBEDDED_WORKER")]
    no_embedded_worker: bool,
    /// Log statements of the database that take this many milliseconds or longer, without the values in them; 0 logs
    /// each one (default: 1000)
    #[arg(long, value_name = "MS", env = "TOUCHSTONE_SLOW_STATEMENT_MS")]
    slow_statement_ms: Option<u64>,
    /// A TOML file with any of these settings
    #[arg(long, value_name = "FILE", env = "TOUCHSTONE_CONFIG")]
    config: Option<PathBuf>,
}

impl ServeArgs {
    fn config(self) -> anyhow::Result<Config> {
        let file = self.config.as_deref().map(Settings::from_file).transpose()?.unwrap_or_default();
        let flags = Settings {
            listen: self.listen,
            data: self.data,
            workers: self.workers,
            pin_cores: self.no_pinning.then_some(false),
            behind_tls: self.behind_tls.then_some(true),
            languages: None,
            trusted_proxies: self.trusted_proxy,
            builtin_problems: self.no_builtin_problems.then_some(false),
            nats: self.nats,
            nats_creds: self.nats_creds,
            nats_ca: self.nats_ca,
            nats_store: self.nats_store,
            embedded_worker: self.no_embedded_worker.then_some(false),
            slow_statement_ms: self.slow_statement_ms,
        };
        Ok(Config::new(flags.over(file), workshop::cores())?)
    }
}

pub fn run(args: ServeArgs) -> anyhow::Result<ExitCode> {
    start(&args.config()?, None)
}

/// Serves until it is told to stop; with a demo, a contest is played meanwhile.
pub(super) fn start(config: &Config, demo: Option<Demo>) -> anyhow::Result<ExitCode> {
    telemetry::start(std::io::stderr().is_terminal());
    // Before anything is made: a server that can't listen leaves no new judge behind.
    let listener = std::net::TcpListener::bind(config.listen)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .with_context(|| format!("{} can't be listened on; choose another with --listen", config.listen))?;
    let _lock = lock_data(config)?;
    // Before the runtime's threads exist: the helper is started from a small, single-threaded process.
    clean(config)?;
    // Who only lets others judge needs neither compilers nor a sandbox.
    let (tools, findings) = if config.embedded_worker { open_tools(config)? } else { (None, Vec::new()) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(serve(config, tools, findings, listener, demo));
    runtime.shutdown_timeout(END_WITHIN);
    result
}

async fn serve(
    config: &Config,
    tools: Option<Tools>,
    findings: Vec<Finding>,
    listener: std::net::TcpListener,
    demo: Option<Demo>,
) -> anyhow::Result<ExitCode> {
    let store = Store::open_noting(&config.database(), config.slow_statement)
        .await
        .with_context(|| format!("the database {} can't be opened", config.database().display()))?;
    let service = Arc::new(Service::new(store.clone()));
    let taken_back = service.take_back_claims(clock::now()).await?;
    if taken_back > 0 {
        tracing::warn!(jobs = taken_back, "the server had ended in the middle of its work; it is taken up again");
    }
    let packages = if config.builtin_problems { builtin::packages()? } else { Vec::new() };
    service.ensure_builtin(packages, clock::now()).await?;
    let listener = TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    let (stop, stopping) = watch::channel(false);
    let (trouble, farm_trouble) = watch::channel(None);
    let names: Vec<String> = match &tools {
        Some(_) => (1..=config.workers).map(|number| format!("embedded-{number}")).collect(),
        None => Vec::new(),
    };
    let elsewhere = tools.is_none() && config.farm.is_some();
    let known = if elsewhere { server::known_offers(&store).await? } else { Vec::new() };
    let languages = tools.as_ref().map_or_else(|| shown(&known), |tools| offered(&tools.workshop));
    let (offers, offered_now) = watch::channel(known);
    let playing = languages.clone();
    let state = AppState::new(Arc::clone(&service), languages)
        .await?
        .with_secure_cookies(config.behind_tls)
        .behind(trusted_proxies(config)?)
        .with_scratch(&config.cache().join("uploads"))
        .with_host(host::of(
            config,
            names.clone(),
            findings.iter().cloned().map(host::finding).collect(),
            config.farm.is_some().then_some(farm_trouble),
        ))
        .until(stopping.clone());
    let state = if elsewhere { state.offering(followed(offered_now)) } else { state };

    if let Some(demo) = &demo {
        demo.prepare(&service, address).await?;
    }
    greet(address, tools.is_some() || elsewhere, service.first_admin_link(clock::now()).await?.as_deref())?;
    let mut workers = JoinSet::new();
    let farm = match &config.farm {
        None => None,
        Some(farm) => {
            let own = tools.as_ref().map(|tools| measure(&tools.workshop, &findings));
            let offers = elsewhere.then_some(offers);
            let setup = Setup { offers, ..farm_setup(config, farm, own, service.farm_key().await?) };
            Some(tokio::spawn(server::run(store.clone(), setup, trouble, stopping.clone())))
        }
    };
    let tools = tools.map(Arc::new);
    let sandbox = tools.as_ref().map(|tools| Arc::clone(tools.workshop.sandbox()));
    if let Some(tools) = tools {
        for name in names {
            let source = Arc::new(LocalSource::new(store.clone(), name));
            workers.spawn(worker::run(source, Arc::clone(&tools), stopping.clone()));
        }
    }
    tokio::spawn(announce_problems(store.clone()));
    tokio::spawn(sweep_blobs(Arc::clone(&service)));
    if let Some(demo) = demo {
        tokio::spawn(demo.play(Arc::clone(&service), playing, stopping.clone()));
    }
    let mut until_stopped = stopping.clone();
    let server = listen::serve(listener, web::router(state), listen::Patience::default(), async move {
        let _ = until_stopped.wait_for(|stop| *stop).await;
    });
    let mut server = tokio::spawn(server);
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        ended = &mut server => ended?,
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping: jobs under way are given back");
    let _ = stop.send(true);
    let rest = async {
        while workers.join_next().await.is_some() {}
        if let Some(farm) = farm {
            let _ = farm.await;
        }
        let _ = server.await;
    };
    if tokio::time::timeout(STOP_WITHIN, rest).await.is_err() {
        tracing::warn!("not everything stopped in time; open jobs are taken up again at the next start");
    }
    // Programs whose jobs were given back may still run; their threads end with them, and then nothing of the sandbox is left.
    if let Some(sandbox) = sandbox {
        sandbox.close();
    }
    let _ = tokio::time::timeout(END_WITHIN, store.close()).await;
    Ok(ExitCode::SUCCESS)
}

fn farm_setup(config: &Config, farm: &FarmConfig, own: Option<Measure>, key: [u8; 32]) -> Setup {
    Setup {
        address: Address {
            url: farm.nats.clone(),
            credentials: farm.credentials.clone(),
            authorities: farm.authorities.clone(),
        },
        capacity: farm.store_bytes,
        own,
        scratch: config.cache().join("farm"),
        key,
        offers: None,
    }
}

/// The languages that other machines can judge, as pages show them.
fn shown(offered: &[Offered]) -> Vec<OfferedLanguage> {
    let language = |offered: &Offered| {
        let Offered { id, name, version, extensions, default_for, compiler, runner } = offered.clone();
        OfferedLanguage { id, name, version, extensions, default_for, compiler, runner }
    };
    offered.iter().map(language).collect()
}

/// The same as they change.
fn followed(mut offered: watch::Receiver<Vec<Offered>>) -> watch::Receiver<Arc<[OfferedLanguage]>> {
    let (tell, told) = watch::channel(shown(&offered.borrow_and_update()).into());
    tokio::spawn(async move {
        while offered.changed().await.is_ok() {
            let languages = shown(&offered.borrow_and_update()).into();
            tell.send_replace(languages);
        }
    });
    told
}

fn trusted_proxies(config: &Config) -> anyhow::Result<TrustedProxies> {
    let networks: Result<_, _> = config.trusted_proxies.iter().map(|text| text.trim().parse()).collect();
    Ok(TrustedProxies::new(networks.context("a trusted proxy can't be understood")?))
}

fn offered(workshop: &Workshop) -> Vec<OfferedLanguage> {
    workshop
        .offered()
        .into_iter()
        .map(|offered| OfferedLanguage {
            id: offered.id,
            name: offered.name,
            version: offered.version,
            extensions: offered.extensions,
            default_for: offered.default_for,
            compiler: offered.compiler,
            runner: offered.runner,
        })
        .collect()
}

/// At the start and every hour: an import that was interrupted leaves contents behind.
async fn sweep_blobs(service: Arc<Service>) {
    let mut hours = tokio::time::interval(std::time::Duration::from_hours(1));
    loop {
        hours.tick().await;
        match service.sweep_blobs(clock::now()).await {
            Ok(0) => {}
            Ok(gone) => tracing::info!(gone, "contents that nothing named were deleted"),
            Err(error) => tracing::error!(%error, "contents that nothing names can't be deleted"),
        }
    }
}

/// Says at the terminal when a problem becomes ready, or why it was refused: on first start that takes a while.
async fn announce_problems(store: Store) -> anyhow::Result<()> {
    let mut events = store.events();
    let mut told: Vec<(ProblemId, u64, PackageState)> = Vec::new();
    loop {
        for problem in problem::overview(store.read()).await? {
            let state = (problem.id, problem.newest_version, problem.newest_state);
            if told.contains(&state) {
                continue;
            }
            told.push(state);
            let mut out = std::io::stdout().lock();
            match problem.newest_state {
                PackageState::Queued => {
                    writeln!(
                        out,
                        "Preparing the problem {}: its tests are made and its programs judged",
                        problem.slug
                    )?;
                }
                PackageState::Ready => writeln!(out, "The problem {} is ready: {} tests", problem.slug, problem.tests)?,
                PackageState::Refused => {
                    let reason = problem.newest_message.unwrap_or_default();
                    writeln!(out, "The problem {} is refused: {reason}", problem.slug)?;
                }
            }
            out.flush()?;
        }
        events.changed().await?;
    }
}

/// What a person at the terminal needs to know: where it is, and how to become its admin.
fn greet(address: std::net::SocketAddr, judges: bool, setup: Option<&str>) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "Touchstone serves on http://{address}")?;
    if let Some(token) = setup {
        writeln!(out, "Set the first admin's password here (once, within a day): http://{address}/setup/{token}")?;
    }
    if !judges {
        writeln!(
            out,
            "This host can't hold programs safely, so nothing is judged; `touchstone doctor` says how to mend it."
        )?;
    }
    out.flush()
}
