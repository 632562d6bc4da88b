//! The workshop that a command without a server uses: tools from the environment, a folder that goes with it.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use tempfile::TempDir;

use crate::domain::slug::Slug;
use crate::judge::languages::LanguageTable;
use crate::judge::toolchain::SearchPath;
use crate::judge::workshop::{Workshop, WorkshopConfig};
use crate::package::{Package, PackageTree};
use crate::sandbox::{Sandbox, SandboxConfig};

/// A workshop and the folder it works in.
pub struct Bench {
    /// The workshop.
    pub workshop: Workshop,
    /// How many programs may run at once.
    pub threads: usize,
    _folder: TempDir,
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
    };
    Ok(Bench { workshop: Workshop::open(Arc::new(sandbox), config)?, threads, _folder: folder })
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

/// Reads a package from its folder. What is only unusual is told on standard error.
#[expect(clippy::print_stderr, reason = "the command line speaks on standard error")]
pub fn read_package(folder: &Path) -> anyhow::Result<(PackageTree, Package)> {
    if !folder.is_dir() {
        anyhow::bail!("{} is not a folder with a problem package", folder.display());
    }
    let real = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let slug: Slug =
        name.parse().with_context(|| format!("{}: the folder's name is the short name", folder.display()))?;
    let tree = PackageTree::from_folder(&real).with_context(|| folder.display().to_string())?;
    let (package, warnings) = Package::read(&tree, &slug).with_context(|| folder.display().to_string())?;
    package.check_supported().with_context(|| folder.display().to_string())?;
    for warning in warnings {
        eprintln!("touchstone: {}: {warning}", folder.display());
    }
    Ok((tree, package))
}
