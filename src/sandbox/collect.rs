//! Reads files back from `/w` after a run.
//!
//! Owns: which files may be handed out. Must not know: what is in them.
//!
//! A program may have left anything under any name: links to secrets, pipes that block, folders without end. So a
//! process with the program's own rights, inside its tree, opens regular files only, never through a link, and hands
//! the descriptors out; nobody outside ever resolves a path that a program could have written.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags};

use super::identity;
use super::keeper::Foundation;
use super::protocol::InitReply;
use super::spec::Collect;
use super::sys::{self, Cloned};
use super::wire;

/// Most files that `"*"` and `"**"` hand out.
const MAX_FILES: usize = 1024;
/// Deepest folder that `"**"` looks into.
const MAX_DEPTH: usize = 12;

/// Sends every file asked for and found; a missing one isn't mentioned.
pub(super) fn send_files(foundation: &Foundation<'_>, control: &OwnedFd, wanted: &[Collect]) -> std::io::Result<()> {
    match sys::fork()? {
        Cloned::Parent(_) => {
            sys::wait_any(0)?;
            Ok(())
        }
        Cloned::Child => {
            let entered = identity::become_program(foundation.ids, foundation.users.as_fd(), false);
            let sent = entered.map(|()| wanted.iter().try_for_each(|wanted| send_wanted(control, wanted)));
            sys::exit_now(i32::from(!matches!(sent, Ok(Ok(())))))
        }
    }
}

fn send_wanted(control: &OwnedFd, wanted: &Collect) -> std::io::Result<()> {
    let depth = match wanted.path.as_str() {
        "*" => 0,
        "**" => MAX_DEPTH,
        path => return send_file(control, path),
    };
    let folder = rustix::fs::open("/w", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut names = Vec::new();
    list(&folder, "", depth, &mut names)?;
    names.sort_unstable();
    names.iter().try_for_each(|name| send_file(control, name))
}

/// Adds the paths of regular files in a folder and `depth` levels below it, until there are [`MAX_FILES`].
fn list(folder: &OwnedFd, prefix: &str, depth: usize, names: &mut Vec<String>) -> std::io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        if names.len() == MAX_FILES {
            break;
        }
        if entry.file_type() == FileType::RegularFile {
            names.push(format!("{prefix}{name}"));
        } else if entry.file_type() == FileType::Directory && depth > 0 && name != "." && name != ".." {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            // A folder that the program made unreadable holds nothing that was asked for.
            if let Ok(inner) = rustix::fs::openat(folder, entry.file_name(), flags, Mode::empty()) {
                list(&inner, &format!("{prefix}{name}/"), depth - 1, names)?;
            }
        }
    }
    Ok(())
}

fn send_file(control: &OwnedFd, path: &str) -> std::io::Result<()> {
    let folder = rustix::fs::openat(CWD, "/w", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let Ok(file) = rustix::fs::openat2(&folder, path, flags, Mode::empty(), resolve) else {
        return Ok(());
    };
    let regular = rustix::fs::fstat(&file).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_file());
    if !regular {
        return Ok(());
    }
    wire::send(control, &InitReply::File { path: path.to_owned() }.encode(), &[file.as_fd()])
}
