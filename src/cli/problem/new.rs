//! `touchstone problem new`: a small package that verifies, to be changed into another problem.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use rust_embed::RustEmbed;

use crate::domain::slug::Slug;
use crate::package::{PackagePath, PackageTree};

/// The files of the small package. `NAME` and `UUID` in problem.yaml are filled in.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/src/cli/problem/skeleton"]
struct Skeleton;

/// Begin a new package: a small problem that verifies, to be changed
///
/// Makes a folder with a complete small problem in it: statement, tests, a generator, an input validator, two references
/// and a wrong program. `touchstone problem verify` holds for it from the beginning.
#[derive(Debug, clap::Args)]
pub struct NewArgs {
    /// The problem's short name, or a folder to make whose name it is
    name: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &NewArgs) -> anyhow::Result<ExitCode> {
    let shown = args.name.display();
    let slug: Slug = args.name.file_name().and_then(|name| name.to_str()).unwrap_or_default().parse()?;
    if args.name.try_exists().unwrap_or(false) {
        anyhow::bail!("{shown} is there already; take another name");
    }
    let files = Skeleton::iter().filter_map(|name| {
        let contents = Skeleton::get(&name)?.data;
        Some((name.into_owned(), contents))
    });
    let uuid = uuid().context("the system gives no random numbers")?;
    let files = files.map(|(name, contents)| {
        if name != "problem.yaml" {
            return (name, contents);
        }
        let text = String::from_utf8_lossy(&contents).replace("NAME", slug.as_str()).replace("UUID", &uuid);
        (name, Cow::Owned(text.into_bytes()))
    });
    let tree = PackageTree::from_files(files)?;
    let around = args.name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(around)
        .with_context(|| format!("{shown} can't be written"))?;
    let made = folder.path().join("package");
    tree.materialize(&made).with_context(|| format!("{shown} can't be written"))?;
    std::fs::rename(&made, &args.name).with_context(|| format!("{shown} can't be written"))?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let files: Vec<&str> = tree.paths().map(PackagePath::as_str).collect();
        writeln!(out, "{}", serde_json::json!({ "package": slug, "folder": args.name, "files": files }))?;
    } else {
        writeln!(out, "{slug}: made in {shown}; change its files, then: touchstone problem verify {shown}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A random UUID (RFC 9562, version 4).
fn uuid() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    let number = u128::from_be_bytes(bytes);
    let number = number & !(0xF000 << 64) & !(0xC000 << 48) | (0x4000 << 64) | (0x8000 << 48);
    let hex = format!("{number:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default().to_owned());
    Ok(parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_says_its_version_and_variant() {
        let uuid = uuid().unwrap();
        assert_eq!((uuid.len(), uuid.as_bytes()[14]), (36, b'4'), "{uuid}");
        assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
    }
}
