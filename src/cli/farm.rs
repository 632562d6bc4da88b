//! `touchstone farm`: machines that judge for a server.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use nkeys::KeyPair;
use serde_json::json;

use super::judge_data::{Acting, JudgeData};
use crate::clock;
use crate::domain::worker_name::WorkerName;
use crate::farm::keys::NatsConfig;
use crate::store::farm_worker::WorkerState;

/// What the server's own credentials are called.
const SERVER: &str = "server";

/// Machines that judge for a server
#[derive(Debug, clap::Subcommand)]
pub enum FarmCommand {
    Keys(KeysArgs),
    /// List the machines, when they were last heard, and why one gets no jobs
    List(FarmArgs),
    /// Let a machine end what it has and give it nothing more
    Drain(MachineArgs),
    /// Take a machine's jobs away and give it nothing more
    Forbid(MachineArgs),
    /// Give a machine jobs again
    Allow(MachineArgs),
}

/// Make credentials for the server and its workers, and NATS' configuration for them
///
/// Each worker may only speak and hear on its own subjects. Run again with further names to add workers: the credentials that
/// are there stay. Give each worker its own file and nothing else.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  touchstone farm keys --out keys judge-1 judge-2\n  nats-server -c keys/nats.conf\n  \
                        touchstone serve --nats nats://127.0.0.1:4222 --nats-creds keys/server.creds"
)]
pub struct KeysArgs {
    /// Names of workers
    #[arg(value_name = "NAME")]
    workers: Vec<WorkerName>,
    /// Folder for the files
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Where NATS listens; with another address than this machine's own, use TLS
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4222")]
    listen: SocketAddr,
    /// Where NATS keeps jobs and contents on their way (default: FOLDER/store)
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
    /// NATS' certificate (PEM), so that it speaks TLS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// Which judge.
#[derive(Debug, clap::Args)]
pub struct FarmArgs {
    #[command(flatten)]
    acting: Acting,
    #[command(flatten)]
    judge: JudgeData,
}

/// Which machine of which judge.
#[derive(Debug, clap::Args)]
pub struct MachineArgs {
    /// The machine's name
    name: WorkerName,
    #[command(flatten)]
    judge: JudgeData,
}

pub fn run(command: FarmCommand) -> anyhow::Result<ExitCode> {
    match command {
        FarmCommand::Keys(args) => keys(&args),
        FarmCommand::List(args) => list(&args),
        FarmCommand::Drain(args) => set(&args, WorkerState::Draining),
        FarmCommand::Forbid(args) => set(&args, WorkerState::Forbidden),
        FarmCommand::Allow(args) => set(&args, WorkerState::Active),
    }
}

fn keys(args: &KeysArgs) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.out).with_context(|| format!("{} can't be made", args.out.display()))?;
    let mut names = there(&args.out)?;
    names.extend(args.workers.iter().cloned());
    names.sort();
    names.dedup();
    if names.is_empty() {
        bail!("name at least one worker");
    }
    let server = key(&args.out, SERVER, None)?;
    let mut workers = Vec::with_capacity(names.len());
    for name in names {
        let key = key(&args.out, name.as_str(), Some(&name))?;
        workers.push((name, key));
    }
    let store = args.store.clone().unwrap_or_else(|| args.out.join("store"));
    let whole = |path: &Path| std::path::absolute(path).with_context(|| format!("{} is no path", path.display()));
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some((whole(certificate)?, whole(key)?)),
        _ => None,
    };
    let config = NatsConfig {
        listen: args.listen,
        store: &whole(&store)?,
        tls: tls.as_ref().map(|(certificate, key)| (certificate.as_path(), key.as_path())),
        server: &server,
        workers: &workers,
    };
    let path = args.out.join("nats.conf");
    std::fs::write(&path, config.text()).with_context(|| format!("{} can't be written", path.display()))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}: start NATS with it, or tell a running one: nats-server --signal reload", path.display())?;
    writeln!(out, "{}: for touchstone serve --nats-creds", args.out.join(format!("{SERVER}.creds")).display())?;
    for (name, _) in &workers {
        writeln!(out, "{}: for the worker {name} only", args.out.join(format!("{name}.creds")).display())?;
    }
    if !args.listen.ip().is_loopback() && tls.is_none() {
        writeln!(
            out,
            "NATS will listen beyond this machine without TLS: tests and programs could be read on the way. Give it a \
             certificate with --tls-cert and --tls-key, and write tls:// in the workers' addresses."
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The workers whose credentials are in the folder.
fn there(folder: &Path) -> anyhow::Result<Vec<WorkerName>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))? {
        let name = entry?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(".creds")).filter(|name| *name != SERVER);
        names.extend(name.and_then(|name| name.parse().ok()));
    }
    Ok(names)
}

/// The public part of a key, which is made when it isn't there.
fn key(folder: &Path, file: &str, worker: Option<&WorkerName>) -> anyhow::Result<String> {
    let path = folder.join(format!("{file}.creds"));
    if path.exists() {
        // Nothing of a file with a secret in it is quoted.
        let text = std::fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))?;
        let seed = toml::from_str::<toml::Table>(&text).ok();
        let seed = seed.as_ref().and_then(|table| table.get("seed")?.as_str());
        let pair = seed.and_then(|seed| KeyPair::from_seed(seed).ok());
        return match pair {
            Some(pair) => Ok(pair.public_key()),
            None => bail!("{} holds no credentials; move it away to have new ones made", path.display()),
        };
    }
    let pair = KeyPair::new_user();
    let seed = pair.seed().context("a key can't be made")?;
    let mut text = String::from("# Keep this secret: whoever has it is this worker, or the server.\n");
    if let Some(name) = worker {
        let _ = writeln!(text, "name = \"{name}\"");
    }
    let _ = writeln!(text, "seed = \"{seed}\"");
    let mut made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("{} can't be written", path.display()))?;
    made.write_all(text.as_bytes()).with_context(|| format!("{} can't be written", path.display()))?;
    Ok(pair.public_key())
}

fn set(args: &MachineArgs, state: WorkerState) -> anyhow::Result<ExitCode> {
    args.judge.run(async |service| {
        service.set_machine_state(None, &args.name, state, clock::now()).await?;
        let mut out = std::io::stdout().lock();
        if args.judge.json {
            writeln!(out, "{}", json!({ "name": args.name, "state": state }))?;
        } else {
            writeln!(out, "{}: {}", args.name, state.as_str())?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn list(args: &FarmArgs) -> anyhow::Result<ExitCode> {
    args.judge.run(async |service| {
        let actor = args.acting.actor(service).await?;
        let machines = service.machines(&actor).await?;
        let mut out = std::io::stdout().lock();
        if args.judge.json {
            writeln!(out, "{}", machines.iter().map(crate::service::facts::machine).collect::<serde_json::Value>())?;
            return Ok(ExitCode::SUCCESS);
        }
        for machine in &machines {
            let heard = clock::now().since(machine.worker.last_seen) / 1000;
            let worker = &machine.worker;
            let (state, refused) = (worker.state.as_str(), worker.refused.as_deref().unwrap_or_default());
            writeln!(
                out,
                "{:<16} {state:<9} {:<8} heard {heard} s ago  {refused}",
                worker.name.as_str(),
                worker.version
            )?;
            for misfit in &machine.misfits {
                writeln!(out, "{:<16} doesn't judge {}: {}", "", misfit.problem, misfit.state.as_str())?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}
