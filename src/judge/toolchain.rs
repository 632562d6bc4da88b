//! Finds compilers and interpreters on the host.
//!
//! Owns: where tools are looked for, and what of the host a tool needs to see. Must not know: languages' commands.
//! Shims (rustup's, pyenv's) are passed over: the program behind them is found and shown read-only.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::domain::hash::Sha256;
use crate::sandbox::Bind;

use super::languages::ToolSpec;

/// A tool of this host.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its id in the language table.
    pub id: String,
    /// The program on the host, links resolved.
    pub host_path: PathBuf,
    /// The program as seen inside the sandbox.
    pub inside_path: String,
    /// What must be shown inside besides `/usr`.
    pub binds: Vec<Bind>,
    /// Files and folders on the host that go into what it makes.
    pub parts: Vec<PathBuf>,
    /// Folder of its own shared libraries, as seen inside: a moved toolchain may look for them where it was built.
    pub libraries: Option<String>,
}

/// Where to look; taken from the environment once, at the edge.
#[derive(Debug, Clone, Default)]
pub struct SearchPath {
    /// Value of a variable, for the places that name one (`HOME` for `~`).
    pub variables: Vec<(String, String)>,
    /// The folders of `PATH`.
    pub path: Vec<PathBuf>,
}

impl SearchPath {
    /// What this process's environment says.
    pub fn from_env() -> Self {
        let names = ["HOME", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME"];
        let variables = names
            .into_iter()
            .filter_map(|name| std::env::var(name).ok().map(|value| (name.to_owned(), value)))
            .collect();
        let path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        Self { variables, path }
    }

    fn expand(&self, place: &str) -> Option<String> {
        let (name, rest) = match place.strip_prefix('~') {
            Some(rest) => ("HOME", rest),
            None => match place.strip_prefix('$') {
                Some(tail) => tail.split_at(tail.find('/').unwrap_or(tail.len())),
                None => return Some(place.to_owned()),
            },
        };
        let (_, value) = self.variables.iter().find(|(key, _)| key == name)?;
        Some(format!("{value}{rest}"))
    }
}

/// Every program that may be the tool, best first.
pub fn find(spec: &ToolSpec, search: &SearchPath) -> Vec<Tool> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for place in &spec.places {
        let Some(place) = search.expand(place) else { continue };
        folders.extend(matches_of(&place));
    }
    folders.extend(["/usr/local/bin", "/usr/bin"].map(PathBuf::from));
    folders.extend(search.path.iter().cloned());
    let candidates = folders.iter().flat_map(|folder| spec.names.iter().map(move |name| folder.join(name)));
    let mut programs: Vec<PathBuf> = Vec::new();
    for program in candidates.filter_map(|candidate| real_program(&candidate)) {
        if !programs.contains(&program) {
            programs.push(program);
        }
    }
    programs.into_iter().map(|program| describe(spec, program)).collect()
}

/// The ELF program behind a path, or nothing when it is missing, a script, or a proxy that only looks for the real one.
fn real_program(path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    if real.file_name() == Some(OsStr::new("rustup")) || real.components().any(|part| part.as_os_str() == ".cargo") {
        return None;
    }
    let mut magic = [0; 4];
    fs::File::open(&real).ok()?.read_exact(&mut magic).ok()?;
    (magic == *b"\x7fELF").then_some(real)
}

fn describe(spec: &ToolSpec, host_path: PathBuf) -> Tool {
    let mut binds: Vec<Bind> = spec
        .binds
        .iter()
        .flat_map(|pattern| matches_of(pattern))
        .map(|folder| Bind { source: folder.clone(), target: folder, exec: false })
        .collect();
    let mut libraries = None;
    let mut parts: Vec<PathBuf> = spec.parts.iter().flat_map(|pattern| matches_of(pattern)).collect();
    let inside_path = if host_path.starts_with("/usr") {
        host_path.to_string_lossy().into_owned()
    } else {
        // bin/NAME below the toolchain's own root, which holds its libraries too.
        let root = host_path.parent().and_then(Path::parent).unwrap_or(Path::new("/nonexistent")).to_owned();
        let target = PathBuf::from("/opt").join(&spec.id);
        let inside = target.join(host_path.strip_prefix(&root).unwrap_or(&host_path));
        parts.push(root.join("lib"));
        libraries = Some(target.join("lib").to_string_lossy().into_owned());
        binds.push(Bind { source: root, target, exec: true });
        inside.to_string_lossy().into_owned()
    };
    Tool { id: spec.id.clone(), host_path, inside_path, binds, parts, libraries }
}

/// A digest that changes when a file of these folders comes, goes, or is replaced: over paths, sizes and times of change.
pub(super) fn look_of(parts: &[PathBuf]) -> Sha256 {
    let mut lines: Vec<String> = Vec::new();
    let mut open: Vec<PathBuf> = parts.to_vec();
    while let Some(path) = open.pop() {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()));
        } else {
            lines.push(format!("{} {} {}.{}", path.display(), found.len(), found.mtime(), found.mtime_nsec()));
        }
    }
    lines.sort_unstable();
    Sha256::of(lines.join("\n").as_bytes())
}

/// The existing paths for a pattern with at most one `*` in one component; the newest version first.
fn matches_of(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else {
        return if Path::new(pattern).exists() { vec![PathBuf::from(pattern)] } else { Vec::new() };
    };
    let (folder, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let (suffix, rest) = match after.split_once('/') {
        Some((suffix, rest)) => (suffix, Some(rest)),
        None => (after, None),
    };
    let Ok(entries) = fs::read_dir(if folder.is_empty() { "/" } else { folder }) else { return Vec::new() };
    let mut found: Vec<(Vec<u64>, PathBuf)> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let fits = name.len() >= prefix.len() + suffix.len() && name.starts_with(prefix) && name.ends_with(suffix);
            let path = rest.map_or_else(|| entry.path(), |rest| entry.path().join(rest));
            (fits && path.exists()).then(|| (version_key(&name), path))
        })
        .collect();
    found.sort_by(|left, right| right.cmp(left));
    found.into_iter().map(|(_, path)| path).collect()
}

/// A sort key under which 1.100 is newer than 1.95, and a numbered version newer than a named channel. Rust's
/// `stable` comes first among channels: it is what a plain `rustc` means.
fn version_key(name: &str) -> Vec<u64> {
    let mut key = vec![u64::from(name.starts_with("stable"))];
    key.extend(
        name.split(|c: char| !c.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .map(|digits| digits.parse().unwrap_or(0)),
    );
    if name.starts_with(|c: char| c.is_ascii_digit() || c == 'v') || key[0] == 1 {
        key.insert(0, 1);
    } else {
        key.insert(0, 0);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(places: &[&str]) -> ToolSpec {
        ToolSpec {
            id: "x".into(),
            package: None,
            names: vec!["x".into()],
            places: places.iter().map(|&place| place.to_owned()).collect(),
            binds: vec![],
            version: vec![],
            parts: vec![],
        }
    }

    fn program(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"\x7fELF...").unwrap();
    }

    #[test]
    fn the_newest_version_under_a_home_directory_wins_and_shims_are_passed_over() {
        let home = tempfile::tempdir().unwrap();
        for version in ["1.95.0", "1.100.0", "1.9.0"] {
            program(&home.path().join("versions").join(version).join("bin/x"));
        }
        fs::create_dir_all(home.path().join("shims")).unwrap();
        fs::write(home.path().join("shims/x"), "#!/bin/sh\nexec x\n").unwrap();
        let search = SearchPath {
            variables: vec![("HOME".into(), home.path().to_string_lossy().into_owned())],
            path: vec![home.path().join("shims")],
        };
        let tools = find(&spec(&["~/versions/*/bin"]), &search);
        assert_eq!(tools.len(), 3);
        let tool = &tools[0];
        assert!(tool.host_path.ends_with("versions/1.100.0/bin/x"), "{tool:?}");
        assert_eq!(tool.inside_path, "/opt/x/bin/x");
        assert_eq!(tool.binds.len(), 1);
        assert!(find(&spec(&[]), &search).is_empty(), "a script is no toolchain");
    }

    #[test]
    fn an_unset_variable_is_no_place() {
        assert!(find(&spec(&["$NVM_DIR/*/bin"]), &SearchPath::default()).is_empty());
    }

    #[test]
    fn a_changed_library_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("gcc/12/libc.a");
        program(&library);
        let parts = [folder.path().join("gcc"), folder.path().join("missing")];
        let before = look_of(&parts);
        assert_eq!(look_of(&parts), before);
        fs::write(&library, "longer than before").unwrap();
        let after = look_of(&parts);
        assert_ne!(after, before);
        fs::write(folder.path().join("gcc/another.h"), "").unwrap();
        assert_ne!(look_of(&parts), after);
    }
}
