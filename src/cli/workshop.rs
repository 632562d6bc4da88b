//! The workshop that a command without a server uses: tools from the environment, a folder that goes with it.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use tempfile::TempDir;

use crate::domain::slug::Slug;
use crate::judge::languages::LanguageTable;
use crate::judge::toolchain::SearchPath;
use crate::judge::workshop::{Workshop, WorkshopConfig};
use crate::package::{Package, PackageTree, Warning, ZipCaps};
use crate::sandbox::{Sandbox, SandboxConfig};

use super::progress;

/// A workshop and the folder it works in.
pub struct Bench {
    /// The workshop.
    pub workshop: Workshop,
    /// How many programs may run at once.
    pub threads: usize,
    folder: TempDir,
}

impl Bench {
    /// Its parts, for somebody who keeps them together.
    pub fn into_parts(self) -> (Workshop, usize, TempDir) {
        (self.workshop, self.threads, self.folder)
    }
}

/// How many cores this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Opens a workshop with a slot per core.
pub fn open(languages: Option<&Path>) -> anyhow::Result<Bench> {
    let threads = cores();
    let folder = tempfile::Builder::new().prefix("touchstone-").tempdir().context("could not make a work folder")?;
    let sandbox = Sandbox::start(SandboxConfig { slots: threads, ..SandboxConfig::default() })?;
    let config = WorkshopConfig {
        table: table(languages)?,
        search: SearchPath::from_env(),
        folder: folder.path().join("programs"),
        programs: None,
    };
    Ok(Bench { workshop: Workshop::open(Arc::new(sandbox), config)?, threads, folder })
}

/// The operator's language table, or the built-in one.
pub fn table(path: Option<&Path>) -> anyhow::Result<LanguageTable> {
    match path {
        None => Ok(LanguageTable::built_in()?),
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
            LanguageTable::parse(&text).with_context(|| path.display().to_string())
        }
    }
}

/// A package that was read from a folder or a zip.
pub struct ReadPackage {
    /// Its files as they came.
    pub tree: PackageTree,
    /// What they say.
    pub package: Package,
    /// What is only unusual; it was told on standard error.
    pub warnings: Vec<Warning>,
}

/// Reads a package from its folder or zip, to be judged with.
pub fn read_package(path: &Path) -> anyhow::Result<(PackageTree, Package)> {
    let ReadPackage { tree, package, .. } = open_package(path)?;
    let tree = package.with_constants(tree).with_context(|| path.display().to_string())?;
    Ok((tree, package))
}

/// Reads a package from its folder or zip. What is only unusual is told on standard error.
pub fn open_package(path: &Path) -> anyhow::Result<ReadPackage> {
    if path.is_file() {
        return open_zip(path, None);
    }
    if !path.is_dir() {
        anyhow::bail!("{} is not a folder with a problem package, and no zip of one", path.display());
    }
    let real = path.canonicalize().with_context(|| path.display().to_string())?;
    look_for_package(&real).with_context(|| path.display().to_string())?;
    let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let slug: Slug =
        name.parse().with_context(|| format!("{}: the folder's name is the short name", path.display()))?;
    let tree = PackageTree::from_folder(&real).with_context(|| path.display().to_string())?;
    read_tree(path, tree, &slug)
}

/// Refuses a folder that is no package before all that lies in it is looked at: it may be somebody's home.
fn look_for_package(folder: &Path) -> anyhow::Result<()> {
    const FILE: &str = "problem.yaml";
    if folder.join(FILE).exists() {
        return Ok(());
    }
    if folder.join("problem.yml").exists() {
        anyhow::bail!("there is no {FILE}; rename problem.yml");
    }
    let inner = std::fs::read_dir(folder)?.flatten().filter(|entry| entry.path().join(FILE).exists());
    let mut inner: Vec<String> = inner.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    inner.sort();
    match inner.first() {
        Some(name) => anyhow::bail!("there is no {FILE} here, but in {name}/; give that folder"),
        None => anyhow::bail!("there is no {FILE}, so this is no problem package"),
    }
}

/// Reads a package from a zip. Its short name is the given one, else the folder in the zip, else the zip's own name.
pub fn open_zip(path: &Path, name: Option<&str>) -> anyhow::Result<ReadPackage> {
    let file = File::open(path).with_context(|| format!("{} can't be read", path.display()))?;
    let bar = progress::bytes("unpacking", file.metadata().map_or(0, |metadata| metadata.len()));
    let unpacked = PackageTree::from_zip(bar.wrap_read(file), &std::env::temp_dir(), ZipCaps::default());
    bar.finish_and_clear();
    let unpacked = unpacked.with_context(|| path.display().to_string())?;
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let name = name.or(unpacked.top.as_deref()).unwrap_or(stem);
    let slug: Slug =
        name.parse().with_context(|| format!("{}: the folder's name is the short name", path.display()))?;
    read_tree(path, unpacked.tree, &slug)
}

#[expect(clippy::print_stderr, reason = "the command line speaks on standard error")]
fn read_tree(path: &Path, tree: PackageTree, slug: &Slug) -> anyhow::Result<ReadPackage> {
    let (package, warnings) = Package::read(&tree, slug).with_context(|| path.display().to_string())?;
    package.check_supported().with_context(|| path.display().to_string())?;
    for warning in &warnings {
        eprintln!("touchstone: {}: {warning}", path.display());
    }
    Ok(ReadPackage { tree, package, warnings })
}
