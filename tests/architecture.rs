//! The arrows of `ARCHITECTURE.md`, enforced: which room may name which.
#![expect(clippy::unwrap_used, reason = "a test that can't read the sources should stop")]

use std::fs;
use std::path::{Path, PathBuf};

/// Room, rooms that it may import. `cli`, `main` and `lib` may import everything.
const ARROWS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("sandbox", &[]),
    ("clock", &["domain"]),
    ("config", &[]),
    ("telemetry", &[]),
    ("grading", &["domain", "sandbox"]),
    ("ranking", &["domain"]),
    ("package", &["domain"]),
    ("roster", &["domain"]),
    ("store", &["domain"]),
    ("judge", &["domain", "grading", "package", "sandbox"]),
    ("farm", &["domain", "grading", "package", "judge"]),
    ("service", &["domain", "grading", "ranking", "package", "roster", "store"]),
    ("web", &["domain", "service", "ranking", "roster", "store", "clock"]),
];

/// The folders that may name the store and the clock although their rooms may not: the judge's local door to jobs, and the
/// farm's server. A worker on another machine has neither.
const DOORS: [&str; 2] = ["src/judge/local/", "src/farm/server/"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().into_owned()
}

/// The source without comments, so that a word in prose is no import.
fn code_of(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn room_of(path: &str) -> String {
    path.trim_start_matches("src/").split(['/', '.']).next().unwrap().to_owned()
}

/// Rooms that a source names: `crate::ROOM`, `crate::{ROOM, ...}`, and `super::` paths that leave the room.
fn named_rooms(path: &str, code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            // Only names at the group's own depth are rooms.
            let mut depth = 1;
            let mut first = true;
            let mut word = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => first = true,
                    _ => {}
                }
                if depth == 1 && first && (c.is_alphanumeric() || c == '_') {
                    word.push(c);
                } else if !word.is_empty() {
                    rooms.push(std::mem::take(&mut word));
                    first = c == ',';
                }
                if depth == 0 {
                    break;
                }
            }
        } else {
            rooms.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    // A module at depth d below src (src/room/mod.rs is 1) leaves its room with d supers.
    let inside = path.trim_start_matches("src/");
    let mut depth = inside.matches('/').count() + 1;
    if inside.ends_with("/mod.rs") {
        depth -= 1;
    }
    let leave = "super::".repeat(depth);
    for (at, _) in code.match_indices(&leave) {
        let before = &code[..at];
        if before.ends_with("super::") {
            continue;
        }
        let rest = &code[at + leave.len()..];
        if rest.starts_with("super::") {
            continue;
        }
        rooms.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
    }
    rooms.retain(|room| !room.is_empty());
    rooms
}

#[test]
fn rooms_import_only_what_they_may() {
    let mut faults = Vec::new();
    for path in sources(&root().join("src")) {
        let path_text = relative(&path);
        let room = room_of(&path_text);
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == room) else {
            assert!(["cli", "main", "lib"].contains(&room.as_str()), "{path_text} belongs to no room");
            continue;
        };
        for named in named_rooms(&path_text, &code_of(&path)) {
            let is_room = ARROWS.iter().any(|(name, _)| *name == named) || named == "cli";
            let door =
                DOORS.iter().any(|door| path_text.starts_with(door)) && ["store", "clock"].contains(&named.as_str());
            if is_room && named != room && !allowed.contains(&named.as_str()) && !door {
                faults.push(format!("{path_text} names `{named}`, which {room} must not know"));
            }
            if room == "grading" && named == "sandbox" {
                let code = code_of(&path);
                for (at, _) in code.match_indices("sandbox::") {
                    let rest = &code[at + "sandbox::".len()..];
                    let fits =
                        ["report", "{", "RunReport", "End", "KillReason", "Measured", "CpuSource", "MemorySource"];
                    if !fits.iter().any(|start| rest.starts_with(start)) {
                        faults.push(format!("{path_text} takes more of the sandbox than its report"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_module_says_what_it_owns() {
    for path in sources(&root().join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//!"), "{} does not open with //!", relative(&path));
    }
}

#[test]
fn only_the_system_call_file_is_unsafe() {
    for path in sources(&root().join("src")) {
        let name = relative(&path);
        let code = code_of(&path);
        let uses = code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl");
        assert!(!uses || name == "src/sandbox/sys.rs", "{name} holds unsafe code");
    }
}

#[test]
fn files_hold_one_idea() {
    for path in sources(&root().join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
        assert!(lines <= 500, "{} has {lines} lines without its tests; what are its two ideas?", relative(&path));
    }
}

#[test]
fn the_reader_of_imports_sees_all_forms() {
    let found =
        named_rooms("src/web/pages/a.rs", "use crate::{store::{a, b}, service};\nuse super::super::super::judge::x;");
    assert_eq!(found, ["store", "service", "judge"]);
    assert!(named_rooms("src/web/pages/a.rs", "use super::view; use super::super::router;").is_empty());
}
