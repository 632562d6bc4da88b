//! One run of one program.
//!
//! Owns: the order of things. Must not know: how slots are made or shared, how a limit is watched.

use super::SandboxError;
use super::protocol::{Done, Tree};
use super::report::{MemorySource, RunReport};
use super::slot::{Buffers, Slot};
use super::spec::{Bind, Freshness, RunSpec};
use super::stdio;
use super::watch::{Ended, Heard, Watch, system};

/// Runs `spec` in `slot`. On an error the slot must be thrown away.
pub(super) fn run(slot: &mut Slot, spec: &RunSpec) -> Result<RunReport, SandboxError> {
    prepare(slot, spec)?;
    let mut buffers = std::mem::take(&mut slot.buffers);
    let watched = watch(slot, spec, &mut buffers);
    slot.buffers = buffers;
    let (ended, report) = watched?;
    clear(slot, spec, ended);
    report
}

/// Gives `slot` a generation for `spec`.
pub(super) fn prepare(slot: &mut Slot, spec: &RunSpec) -> Result<(), SandboxError> {
    let mut tree = tree(spec);
    if slot.group.memory_source() == MemorySource::Polling {
        // What lies in files that nobody has mapped can't be seen in any process's resident size.
        tree.written_bytes = tree.written_bytes.min(spec.limits.memory_bytes);
    }
    slot.generation(&tree, tag(spec))
}

/// Keeps the generation only for runs with the same tag, and only when this one left no trace in it.
pub(super) fn clear(slot: &mut Slot, spec: &RunSpec, ended: Ended) {
    if tag(spec).is_none() || !matches!(ended, Ended::Reported(Done { clean: true, .. })) {
        slot.discard();
    }
}

fn tag(spec: &RunSpec) -> Option<u64> {
    match spec.freshness {
        Freshness::Fresh => None,
        Freshness::Wiped { tag } => Some(tag),
    }
}

/// The file tree that `spec` asks for.
fn tree(spec: &RunSpec) -> Tree {
    let program = spec.program_dir.iter();
    let program = program.map(|source| Bind { source: source.clone(), target: "/box".into(), exec: true });
    let binds = program.chain(spec.binds.iter().cloned()).collect();
    Tree { binds, written_bytes: spec.limits.written_bytes }
}

type Watched = (Ended, Result<RunReport, SandboxError>);

fn watch(slot: &mut Slot, spec: &RunSpec, buffers: &mut Buffers) -> Result<Watched, SandboxError> {
    let stdin = stdio::open_stdin(&spec.stdin, slot.own_ids()).map_err(system("open the standard input"))?;
    let mut watch = Watch::start(slot, spec, stdin, buffers)?;
    let ended = until_the_end(&mut watch)?;
    Ok((ended, watch.report(ended)?))
}

/// Waits for the end and brings it about when a limit is crossed. No process of the run is left afterwards.
fn until_the_end(watch: &mut Watch<'_>) -> Result<Ended, SandboxError> {
    loop {
        let pause = match watch.check()? {
            Ok(pause) => pause,
            Err(reason) => return watch.kill(reason),
        };
        let ready = watch.wait(pause)?;
        watch.drain(ready.stdout, ready.stderr)?;
        if ready.control
            && let Heard::End(ended) = watch.hear()?
        {
            return Ok(ended);
        }
    }
}
