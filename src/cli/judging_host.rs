//! The host as a place that judges: for a server and for a worker on another machine.

use std::fs::{File, TryLockError};
use std::os::unix::fs::DirBuilderExt as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};

use crate::config::Config;
use crate::farm::wire::call::{self, Measure};
use crate::judge::blob_cache::BlobCache;
use crate::judge::calibration::calibrate;
use crate::judge::toolchain::SearchPath;
use crate::judge::worker::Tools;
use crate::judge::workshop::{OfferedLanguage, Workshop, WorkshopConfig};
use crate::sandbox::doctor::{Finding, State, examine, worst};
use crate::sandbox::{Sandbox, SandboxConfig};

use super::workshop;

/// How long a job may be silent. The sandbox ends each program in time, so this is for what should never happen.
const PATIENCE: Duration = Duration::from_mins(20);

/// Below the cache: programs that are being built and run.
const WORK: &str = "work";

/// One server or worker a data folder; the lock goes with the process, however it ends.
pub fn lock_data(config: &Config) -> anyhow::Result<File> {
    let doing = || format!("the data folder {} can't be used", config.data.display());
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&config.data).with_context(doing)?;
    let lock = File::create(config.data.join("lock")).with_context(doing)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "another server or worker already uses the data folder {}; stop it, or name another with --data",
                config.data.display()
            )
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(doing),
    }
}

/// Deletes what is left of an earlier run's work; it is of no use.
pub fn clean(config: &Config) -> anyhow::Result<()> {
    for folder in [config.cache().join(WORK), config.cache().join("uploads")] {
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} can't be emptied", folder.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The sandbox and the tools of this host; nothing when it is not safe to judge here.
pub fn open_tools(config: &Config) -> anyhow::Result<(Option<Tools>, Vec<Finding>)> {
    let mut sandbox_config = SandboxConfig { slots: config.workers, ..SandboxConfig::default() };
    if !config.pin_cores {
        sandbox_config.cores.clear();
    }
    let findings = examine(&sandbox_config);
    for finding in findings.iter().filter(|finding| finding.state != State::Ok) {
        let fix = finding.fix.as_deref().unwrap_or("see `touchstone doctor`");
        tracing::warn!(layer = %finding.layer, fix, "{}", finding.detail);
    }
    let unsafe_here = worst(&findings) == State::Unsafe;
    if unsafe_here {
        return Ok((None, findings));
    }
    let workshop_config = WorkshopConfig {
        table: workshop::table(config.languages.as_deref())?,
        search: SearchPath::from_env(),
        folder: config.cache().join(WORK),
        programs: Some(config.cache().join("programs")),
    };
    let sandbox = Arc::new(Sandbox::start(sandbox_config)?);
    let tools = Tools {
        workshop: Workshop::open(sandbox, workshop_config)?,
        cache: BlobCache::open(config.cache().join("blobs"))?,
        threads: config.workers,
        patience: PATIENCE,
    };
    Ok((Some(tools), findings))
}

/// What must be equal on two machines for their verdicts to be, and how fast this one is.
pub fn measure(workshop: &Workshop, findings: &[Finding]) -> Measure {
    let found =
        workshop.tools().into_iter().filter_map(|(spec, found)| Some((spec.id.clone(), found.ok()?.identity())));
    let finding = |finding: &Finding| call::Finding {
        layer: finding.layer.to_owned(),
        state: finding.state.as_str().to_owned(),
        detail: finding.detail.clone(),
        fix: finding.fix.clone(),
    };
    Measure {
        tools: found.collect(),
        commands: Some(workshop.commands()),
        offers: workshop.offered().into_iter().map(offered).collect(),
        sandbox: crate::sandbox::version().to_owned(),
        host: crate::judge::host::facts().clone(),
        findings: findings.iter().filter(|finding| finding.state != State::Ok).map(finding).collect(),
        calibration: Some(calibration()),
    }
}

fn offered(language: OfferedLanguage) -> call::Offered {
    let OfferedLanguage { id, name, version, extensions, default_for, compiler, runner } = language;
    call::Offered { id, name, version, extensions, default_for, compiler, runner }
}

/// How fast this machine is now.
pub fn calibration() -> call::Calibration {
    let took = calibrate();
    let us = |part: Duration| u64::try_from(part.as_micros()).unwrap_or(u64::MAX);
    call::Calibration { cpu_us: us(took.cpu), memory_us: us(took.memory), calls_us: us(took.calls) }
}
