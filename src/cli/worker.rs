//! `touchstone worker`: judges for a server on another machine.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::config::{Config, Settings};
use crate::domain::worker_name::WorkerName;
use crate::farm::connect::{Address, name_in};
use crate::farm::server::MAX_SLOTS;
use crate::farm::wire::PROTOCOL;
use crate::farm::wire::call::{Hello, Measure};
use crate::judge::worker::Tools;
use crate::{clock, farm, telemetry};

use super::judging_host::{calibration, clean, lock_data, measure, open_tools};
use super::workshop;

/// How long a clean stop may take before what is left is cut off.
const STOP_WITHIN: Duration = Duration::from_secs(6);
/// How long threads that still wait for a program may take after that.
const END_WITHIN: Duration = Duration::from_secs(1);
/// Where the cache lies when nothing else is said.
const DEFAULT_DATA: &str = "touchstone-worker";

/// Judge for a server on another machine
///
/// It has no database and no pages: jobs and tests come over NATS, results go back over it. It needs the same compilers as
/// the server, and stops cleanly on SIGTERM or Ctrl-C: what is under way then goes to another worker.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchstone worker --nats tls://judge.example.org:4222 --creds worker-1.creds\n  \
                  touchstone worker --nats nats://127.0.0.1:4222 --name spare --slots 2")]
pub struct WorkerArgs {
    /// Where NATS is: `nats://HOST:4222` or `tls://HOST:4222`
    #[arg(long, value_name = "URL", env = "TOUCHSTONE_NATS")]
    nats: String,
    /// This worker's credentials, as `touchstone farm keys` writes them
    #[arg(long, value_name = "FILE", env = "TOUCHSTONE_NATS_CREDS")]
    creds: Option<PathBuf>,
    /// Certificates of the authorities that are trusted for NATS instead of the system's (PEM)
    #[arg(long, value_name = "FILE", env = "TOUCHSTONE_NATS_CA")]
    nats_ca: Option<PathBuf>,
    /// This worker's name (default: the one in its credentials)
    #[arg(long, value_name = "NAME", env = "TOUCHSTONE_WORKER_NAME")]
    name: Option<WorkerName>,
    /// How many programs are judged at once (default: one per core)
    #[arg(long, value_name = "N", env = "TOUCHSTONE_WORKERS")]
    slots: Option<u16>,
    /// Folder of the cache; it may be deleted while no worker runs
    #[arg(long, value_name = "FOLDER", env = "TOUCHSTONE_DATA", default_value = DEFAULT_DATA)]
    data: PathBuf,
    /// Let programs run on any core (default: those of one slot keep to one core)
    #[arg(long, env = "TOUCHSTONE_NO_PINNING")]
    no_pinning: bool,
    /// A TOML file with `languages`, a language table that replaces the built-in one
    #[arg(long, value_name = "FILE", env = "TOUCHSTONE_CONFIG")]
    config: Option<PathBuf>,
}

pub fn run(args: WorkerArgs) -> anyhow::Result<ExitCode> {
    telemetry::start(std::io::stderr().is_terminal());
    let named = args.creds.as_deref().map(name_in).transpose()?.flatten();
    let Some(name) = args.name.or(named) else {
        bail!("the credentials don't say this worker's name; give it with --name")
    };
    let file = args.config.as_deref().map(Settings::from_file).transpose()?.unwrap_or_default();
    let slots = args.slots.unwrap_or_else(|| u16::try_from(workshop::cores()).unwrap_or(MAX_SLOTS)).min(MAX_SLOTS);
    let settings = Settings {
        data: Some(args.data),
        workers: Some(slots.into()),
        pin_cores: args.no_pinning.then_some(false).or(file.pin_cores),
        languages: file.languages,
        ..Settings::default()
    };
    let config = Config::new(settings, workshop::cores())?;
    let _lock = lock_data(&config)?;
    clean(&config)?;
    let (tools, findings) = open_tools(&config)?;
    let tools = tools.context("this machine can't hold programs safely; `touchstone doctor` says how to mend it")?;
    let address = Address { url: args.nats, credentials: args.creds, authorities: args.nats_ca };
    let measured = measure(&tools.workshop, &findings);
    let hello = move || Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        slots,
        clock_ms: clock::now().0,
        measure: Measure { calibration: Some(calibration()), ..measured.clone() },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(work(&address, &name, slots, tools, hello));
    runtime.shutdown_timeout(END_WITHIN);
    result
}

async fn work(
    address: &Address,
    name: &WorkerName,
    slots: u16,
    tools: Tools,
    hello: impl Fn() -> Hello,
) -> anyhow::Result<ExitCode> {
    let (stop, stopping) = watch::channel(false);
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let working = farm::worker::run(address, name, slots, Arc::new(tools), hello, stopping);
    tokio::pin!(working);
    tokio::select! {
        ended = &mut working => return Ok(ended.map(|()| ExitCode::SUCCESS)?),
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping: jobs under way are given back");
    let _ = stop.send(true);
    let Ok(ended) = tokio::time::timeout(STOP_WITHIN, working).await else {
        tracing::warn!("not everything stopped in time; open jobs go to others when their leases end");
        return Ok(ExitCode::SUCCESS);
    };
    ended?;
    Ok(ExitCode::SUCCESS)
}
