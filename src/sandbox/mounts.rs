//! The file tree that a program sees.
//!
//! Owns: what is mounted where, and with which restrictions. Must not know: processes, users, limits other than sizes.
//!
//! A keeper has two mount namespaces ([`Places`]): a copy of the host's, to take mounts from, and a *bare* one, which
//! holds only what is the same for every generation and nothing else of the host. A generation's init starts with a
//! copy of the bare one (small, and so quickly copied) and adds what is its own ([`furnish`]); when it is wanted the
//! keeper adds what the run asks for ([`Places::dress`]).

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, FsPickFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
    UnmountFlags,
};
use rustix::thread::{LinkNameSpaceType, UnshareFlags};

use super::identity::{INSIDE, Ids};
use super::protocol::{Doing, Fault, Tree};
use super::spec::Bind;
use super::sys;

/// A host folder that the new tree is mounted over before it becomes the root. It must exist, and nothing below it can
/// be shown to programs.
const ANCHORS: [&str; 5] = ["/sys", "/mnt", "/media", "/srv", "/boot"];

/// Files that a program may create at most, links and folders counted.
const WRITABLE_FILES: u64 = 4096;

const PRIVATE: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_NOSUID.union(MountAttrFlags::MOUNT_ATTR_NODEV);
const READ_ONLY: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_RDONLY.union(MountAttrFlags::MOUNT_ATTR_NOSUID);

/// The keepers' two mount namespaces.
pub(super) struct Places {
    host: OwnedFd,
    bare: OwnedFd,
    /// The bare one contains the host's `/proc`, without which a new one could not be mounted there.
    pub(super) host_proc: bool,
}

/// The unit of a tmpfs's size, bytes.
const PAGE: u64 = 4096;
/// Above all that any machine has, bytes.
const MOST: u64 = 1 << 60;

/// The inode that every kernel gives the first user namespace.
const FIRST_USER_NAMESPACE: u64 = 0xEFFF_FFFD;

/// Builds both. The calling process must be in a mount namespace of its own, which becomes the first of them; it is
/// made private.
pub(super) fn build_fixed() -> Result<Places, Fault> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .doing("make the mounts private")?;
    let namespace = || {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::open("/proc/self/ns/mnt", flags, Mode::empty()).doing("open the mount namespace")
    };
    let user = rustix::fs::stat("/proc/self/ns/user").doing("look at the user namespace")?;
    let host = namespace()?;
    sys::unshare(UnshareFlags::NEWNS).doing("create a second mount namespace")?;
    let places = Places { host, bare: namespace()?, host_proc: user.st_ino != FIRST_USER_NAMESPACE };
    let anchor = build_root(places.host_proc)?;
    rustix::process::chdir(anchor).doing("enter the new root")?;
    rustix::process::pivot_root(".", ".").doing("make the new root the root")?;
    rustix::mount::unmount(".", UnmountFlags::DETACH).doing("let go of the host's tree")?;
    places.enter_host()?;
    Ok(places)
}

impl Places {
    /// What a process needs that is to go from one to the other.
    pub(super) fn descriptors(&self) -> [BorrowedFd<'_>; 2] {
        [self.host.as_fd(), self.bare.as_fd()]
    }

    /// Where inits are to be cloned.
    pub(super) fn enter_bare(&self) -> Result<(), Fault> {
        enter(&self.bare)
    }

    /// Where the host's files are.
    pub(super) fn enter_host(&self) -> Result<(), Fault> {
        enter(&self.host)
    }

    /// Adds to a generation's tree, whose namespace is given, what a run asks for; afterwards its root can't be
    /// changed any more. To be called in the host's namespace.
    pub(super) fn dress(&self, generation: &OwnedFd, tree: &Tree) -> Result<(), Fault> {
        let mounts = tree.binds.iter().map(|wanted| {
            let mut attributes = READ_ONLY | PRIVATE;
            if !wanted.exec {
                attributes |= MountAttrFlags::MOUNT_ATTR_NOEXEC;
            }
            Ok((restricted(&wanted.source, attributes)?, wanted))
        });
        let mounts = mounts.collect::<Result<Vec<_>, Fault>>()?;
        enter(generation)?;
        let dressed = dress_here(&mounts, tree.written_bytes);
        self.enter_host()?;
        dressed
    }
}

fn enter(namespace: &OwnedFd) -> Result<(), Fault> {
    rustix::thread::move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Mount))
        .doing("enter a mount namespace")
}

fn dress_here(mounts: &[(OwnedFd, &Bind)], written_bytes: u64) -> Result<(), Fault> {
    let root = open_root()?;
    for (mount, wanted) in mounts {
        let inside: PathBuf = wanted.target.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        show(&root, mount, &inside)?;
    }
    let resize = || -> rustix::io::Result<()> {
        let writable = rustix::mount::fspick(&root, "w", FsPickFlags::FSPICK_CLOEXEC)?;
        let size = written_bytes.min(MOST).next_multiple_of(PAGE) + PAGE;
        rustix::mount::fsconfig_set_string(&writable, "size", size.to_string())?;
        rustix::mount::fsconfig_reconfigure(&writable)
    };
    resize().doing("set the size of the writable folders")?;
    sys::add_mount_attributes(root.as_fd(), u64::from(MountAttrFlags::MOUNT_ATTR_RDONLY.bits()), false)
        .doing("make the root read-only")
}

fn open_root() -> Result<OwnedFd, Fault> {
    rustix::fs::open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).doing("open the root")
}

/// Mounts all that is the same for every generation over a folder of the host, and says which.
fn build_root(host_proc: bool) -> Result<&'static Path, Fault> {
    let anchor = ANCHORS.iter().map(Path::new).find(|path| path.is_dir()).ok_or(Fault {
        doing: format!("find one of the folders {}", ANCHORS.join(", ")).into(),
        errno: libc::ENOENT,
    })?;
    let root = tmpfs(&[("size", "64k"), ("nr_inodes", "512"), ("mode", "755")])?;
    attach(&root, CWD, anchor)?;
    for folder in ["usr", "etc", "dev", "dev/shm", "proc", "tmp", "w", "box"] {
        make_folder(&root, folder)?;
    }
    bind(&root, Path::new("/usr"), Path::new("usr"), READ_ONLY | PRIVATE)?;
    for name in ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] {
        let host = Path::new("/").join(name);
        // Where /usr is merged these are links; elsewhere they are folders.
        if let Ok(target) = fs::read_link(&host) {
            rustix::fs::symlinkat(&target, &root, name).doing(format!("link /{name}"))?;
        } else if host.is_dir() {
            bind(&root, &host, Path::new(name), READ_ONLY | PRIVATE)?;
        }
    }
    let data = READ_ONLY | PRIVATE | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    for path in ["etc/ld.so.cache", "etc/alternatives"] {
        let host = Path::new("/").join(path);
        if host.exists() {
            bind(&root, &host, Path::new(path), data)?;
        }
    }
    write_file(&root, "etc/passwd", &format!("program:x:{INSIDE}:{INSIDE}::/w:/bin/sh\n"))?;
    write_file(&root, "etc/group", &format!("program:x:{INSIDE}:\n"))?;
    for device in ["null", "zero", "full", "random", "urandom"] {
        let host = Path::new("/dev").join(device);
        let inside = Path::new("dev").join(device);
        bind(&root, &host, &inside, READ_ONLY | MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
    }
    for (link, target) in [
        ("dev/fd", "/proc/self/fd"),
        ("dev/stdin", "/proc/self/fd/0"),
        ("dev/stdout", "/proc/self/fd/1"),
        ("dev/stderr", "/proc/self/fd/2"),
    ] {
        rustix::fs::symlinkat(target, &root, link).doing(format!("link /{link}"))?;
    }
    if host_proc {
        attach(&clone_mount(CWD, Path::new("/proc"), true)?, &root, Path::new("proc"))?;
    }
    Ok(anchor)
}

/// Adds a generation's own mounts. The calling process must be PID 1 of its pid namespace and have a copy of the bare
/// mount namespace, which contains the host's `/proc` or not. Leaves `/w` as the working folder.
pub(super) fn furnish(host_proc: bool, ids: Ids) -> Result<(), Fault> {
    let root = open_root()?;
    mount_writable(&root, ids)?;
    mount_proc(&root, host_proc)?;
    rustix::process::chdir("/w").doing("enter /w")
}

/// The calling process's mount namespace, once it has a `/proc`.
pub(super) fn own_namespace() -> Result<OwnedFd, Fault> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    rustix::fs::open("/proc/self/ns/mnt", flags, Mode::empty()).doing("open its own mount namespace")
}

/// One tmpfs for all that a program may write, so that its size bounds the sum; shown in three places.
fn mount_writable(root: &OwnedFd, ids: Ids) -> Result<(), Fault> {
    // Until somebody says how much it may be.
    let size = PAGE.to_string();
    let files = WRITABLE_FILES.to_string();
    let writable = tmpfs(&[("size", &size), ("nr_inodes", &files), ("mode", "700")])?;
    // A folder can be shown elsewhere only from an attached mount. The last of the three covers this one.
    attach(&writable, root, Path::new("tmp"))?;
    for (name, mode, target) in [("w", 0o755, "w"), ("shm", 0o1777, "dev/shm"), ("tmp", 0o1777, "tmp")] {
        make_folder(&writable, name)?;
        rustix::fs::chmodat(&writable, name, Mode::from_raw_mode(mode), AtFlags::empty())
            .doing(format!("set the mode of /{target}"))?;
        if let Some((uid, gid)) = ids.program_owner().filter(|_| name == "w") {
            rustix::fs::chownat(&writable, name, Some(uid), Some(gid), AtFlags::empty()).doing("give /w away")?;
        }
        let shown = clone_mount(&writable, Path::new(name), false)?;
        // Kernels before 5.14 don't know it; nobody but programs follows links there anyway.
        let links = u64::from(MountAttrFlags::MOUNT_ATTR_NOSYMFOLLOW.bits());
        let _ = sys::add_mount_attributes(shown.as_fd(), links, false);
        attach(&shown, root, Path::new(target))?;
    }
    Ok(())
}

/// `/proc` with the program's own processes and nothing else.
fn mount_proc(root: &OwnedFd, host_proc: bool) -> Result<(), Fault> {
    let mut proc = None;
    // Without the mount option (before 5.8) the rest of /proc is there too, but read-only.
    for options in [&[("hidepid", "invisible"), ("subset", "pid")][..], &[("hidepid", "2")][..]] {
        proc = Some(new_filesystem("proc", options, READ_ONLY | PRIVATE | MountAttrFlags::MOUNT_ATTR_NOEXEC));
        if proc.as_ref().is_some_and(Result::is_ok) {
            break;
        }
    }
    let proc = proc.ok_or(Fault { doing: "mount /proc".into(), errno: 0 })??;
    if host_proc {
        rustix::mount::unmount("/proc", UnmountFlags::DETACH).doing("let go of the host's /proc")?;
    }
    attach(&proc, root, Path::new("proc"))
}

/// Shows the host's `source` at `target` below `root`, making the mount point.
fn bind(root: &OwnedFd, source: &Path, target: &Path, attributes: MountAttrFlags) -> Result<(), Fault> {
    show(root, &restricted(source, attributes)?, target)
}

/// The host's `source` as a mount of its own that is nowhere yet.
fn restricted(source: &Path, attributes: MountAttrFlags) -> Result<OwnedFd, Fault> {
    let mount = clone_mount(CWD, source, true)?;
    sys::add_mount_attributes(mount.as_fd(), u64::from(attributes.bits()), true)
        .doing(format!("restrict the mount of {}", source.display()))?;
    Ok(mount)
}

fn show(root: &OwnedFd, mount: &OwnedFd, target: &Path) -> Result<(), Fault> {
    // Most targets are there: the fixed ones, and what an earlier generation of the slot was shown.
    if attach(mount, root, target).is_ok() {
        return Ok(());
    }
    let mut place = PathBuf::new();
    let parents = target.parent().into_iter().flat_map(Path::components);
    for part in parents {
        place.push(part);
        make_folder(root, &place)?;
    }
    let stat = rustix::fs::fstat(mount).doing(format!("look at what is shown at /{}", target.display()))?;
    if FileType::from_raw_mode(stat.st_mode).is_dir() {
        make_folder(root, target)?;
    } else {
        let file = OFlags::CREATE | OFlags::RDONLY | OFlags::CLOEXEC;
        let made = rustix::fs::openat(root, target, file, Mode::from_raw_mode(0o644));
        made.doing(format!("create the file /{}", target.display()))?;
    }
    attach(mount, root, target)
}

fn clone_mount(folder: impl AsFd, path: &Path, recursive: bool) -> Result<OwnedFd, Fault> {
    let mut flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    if recursive {
        flags |= OpenTreeFlags::AT_RECURSIVE;
    }
    rustix::mount::open_tree(folder, path, flags).doing(format!("open the tree {}", path.display()))
}

fn tmpfs(options: &[(&str, &str)]) -> Result<OwnedFd, Fault> {
    new_filesystem("tmpfs", options, PRIVATE | MountAttrFlags::MOUNT_ATTR_NOATIME)
}

fn new_filesystem(kind: &str, options: &[(&str, &str)], attributes: MountAttrFlags) -> Result<OwnedFd, Fault> {
    let make = || -> io::Result<OwnedFd> {
        let context = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
        for (key, value) in options {
            rustix::mount::fsconfig_set_string(&context, *key, *value)?;
        }
        rustix::mount::fsconfig_create(&context)?;
        Ok(rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
    };
    make().doing(format!("make a new {kind}"))
}

fn attach(mount: &OwnedFd, folder: impl AsFd, path: &Path) -> Result<(), Fault> {
    rustix::mount::move_mount(mount, "", folder, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .doing(format!("mount at {}", path.display()))
}

fn make_folder(root: &OwnedFd, path: impl AsRef<Path>) -> Result<(), Fault> {
    let path = path.as_ref();
    match rustix::fs::mkdirat(root, path, Mode::from_raw_mode(0o755)) {
        // A mount point below a read-only mount, such as /usr, must be there already.
        Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(_) if rustix::fs::statat(root, path, AtFlags::empty()).is_ok() => Ok(()),
        made => made.doing(format!("create the folder /{}", path.display())),
    }
}

fn write_file(root: &OwnedFd, path: &str, text: &str) -> Result<(), Fault> {
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(root, path, flags, Mode::from_raw_mode(0o644));
    let file = file.doing(format!("create the file /{path}"))?;
    rustix::io::write(&file, text.as_bytes()).doing(format!("write the file /{path}"))?;
    Ok(())
}

/// What can be seen of a writable folder from outside its files.
#[derive(Debug, PartialEq, Eq)]
struct Looks {
    mode: u16,
    owner: (u32, u32),
    links: u32,
    size: u64,
    attributes: u64,
    times: [(i64, u32); 3],
    xattrs: usize,
}

/// The writable folders' state, to tell whether a run left a trace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Traces {
    folders: Vec<Looks>,
    free: (u64, u64),
}

impl Traces {
    /// No more bytes or no more files fit in. The room is a page more than what is allowed, so that who has written all
    /// that is allowed, and no more, doesn't look like this.
    pub(super) fn is_full(&self) -> bool {
        self.free.0 == 0 || self.free.1 == 0
    }
}

/// Looks at the writable folders of the calling process's own tree.
///
/// The comparison covers all that a later program could read: a creation or removal changes the times, whatever is
/// left changes the free counts, and modes, owners, extended attributes and flags are looked at themselves.
pub(super) fn traces() -> io::Result<Traces> {
    let mut folders = Vec::new();
    for path in ["/w", "/tmp", "/dev/shm"] {
        let stat = rustix::fs::statx(CWD, path, AtFlags::empty(), rustix::fs::StatxFlags::BASIC_STATS)?;
        let path = CString::new(path)?;
        folders.push(Looks {
            mode: stat.stx_mode,
            owner: (stat.stx_uid, stat.stx_gid),
            links: stat.stx_nlink,
            size: stat.stx_size,
            attributes: stat.stx_attributes.bits(),
            times: [stat.stx_atime, stat.stx_mtime, stat.stx_ctime].map(|time| (time.tv_sec, time.tv_nsec)),
            xattrs: rustix::fs::listxattr(&path, &mut [0u8; 0]).unwrap_or(0),
        });
    }
    let space = rustix::fs::statfs("/w")?;
    Ok(Traces { folders, free: (space.f_bfree, space.f_ffree) })
}
