//! The system calls that neither the standard library nor rustix offers as safe functions.
//!
//! Owns: every `unsafe` block of the crate, one operation each. Must not know: what the calls are for.
//!
//! Everything here that changes a process as a whole (clone, namespaces, signal dispositions) is only called in the
//! helper, which has one thread for all its life.
#![expect(unsafe_code, reason = "raw system calls; each block is one operation with its invariant named")]

use std::ffi::{CString, c_char, c_int, c_long};
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::thread::UnshareFlags;

/// Which side of a clone this is.
pub(super) enum Cloned {
    /// The caller; holds the child.
    Parent(Child),
    /// The new process.
    Child,
}

/// A new process as its parent knows it.
pub(super) struct Child {
    pub(super) pid: i32,
    /// Refers to the process and to no later one with the same number.
    pub(super) pidfd: Option<OwnedFd>,
}

/// Of `clone3`: be born in the group whose directory is named (5.7).
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

fn check(result: c_long) -> io::Result<c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Plain fork with the raw call: no handlers, and usable where a filter refuses `clone3`.
pub(super) fn fork() -> io::Result<Cloned> {
    // SAFETY: no CLONE_VM, so the child runs on its own copy of the only thread's stack and heap; null pointers are
    // what the call expects when neither thread ids nor TLS are asked for.
    let result = unsafe { libc::syscall(libc::SYS_clone, c_long::from(libc::SIGCHLD), 0, 0, 0, 0) };
    match check(result)? {
        0 => Ok(Cloned::Child),
        pid => Ok(Cloned::Parent(Child { pid: to_pid(pid), pidfd: None })),
    }
}

/// `clone3` with namespaces (`CLONE_NEW*`, or none), optionally born inside a cgroup v2 directory.
pub(super) fn clone3(namespaces: c_int, cgroup: Option<BorrowedFd<'_>>, want_pidfd: bool) -> io::Result<Cloned> {
    let mut pidfd: RawFd = -1;
    let mut flags = u64::try_from(namespaces).unwrap_or(0);
    if want_pidfd {
        flags |= u64::try_from(libc::CLONE_PIDFD).unwrap_or(0);
    }
    let mut cgroup_fd = 0;
    if let Some(directory) = cgroup {
        flags |= CLONE_INTO_CGROUP;
        cgroup_fd = u64::try_from(directory.as_raw_fd()).unwrap_or(0);
    }
    let arguments = libc::clone_args {
        flags,
        pidfd: ptr::from_mut(&mut pidfd) as u64,
        child_tid: 0,
        parent_tid: 0,
        exit_signal: u64::try_from(libc::SIGCHLD).unwrap_or(0),
        stack: 0,
        stack_size: 0,
        tls: 0,
        set_tid: 0,
        set_tid_size: 0,
        cgroup: cgroup_fd,
    };
    // SAFETY: the structure outlives the call and its size is passed; `pidfd` points to a live integer; no CLONE_VM,
    // so the child has its own copy of the only thread.
    let result = unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size_of::<libc::clone_args>()) };
    match check(result)? {
        0 => Ok(Cloned::Child),
        pid => {
            // SAFETY: the kernel stored a new descriptor there that nothing else owns.
            let pidfd = want_pidfd.then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
            Ok(Cloned::Parent(Child { pid: to_pid(pid), pidfd }))
        }
    }
}

fn to_pid(raw: c_long) -> i32 {
    i32::try_from(raw).unwrap_or(-1)
}

/// Ends the process at once: no destructors and no buffers, which belong to the parent.
pub(super) fn exit_now(code: c_int) -> ! {
    // SAFETY: takes an integer and never returns.
    unsafe { libc::_exit(code) }
}

/// A program with its arguments, laid out for the kernel beforehand: who executes it may share the memory of a parent
/// that would keep whatever is allocated then.
pub(super) struct Image {
    path: CString,
    argv: Vec<*const c_char>,
    envp: Vec<*const c_char>,
    _strings: (Vec<CString>, Vec<CString>),
}

impl Image {
    pub(super) fn new(path: CString, argv: Vec<CString>, env: Vec<CString>) -> Self {
        let pointers = |strings: &[CString]| -> Vec<*const c_char> {
            strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect()
        };
        Self { path, argv: pointers(&argv), envp: pointers(&env), _strings: (argv, env) }
    }

    /// Replaces the process image; returns only on failure.
    pub(super) fn execute(&self) -> io::Error {
        // SAFETY: both arrays end with a null pointer; the strings that they point to are owned by `self`.
        unsafe { libc::execve(self.path.as_ptr(), self.argv.as_ptr(), self.envp.as_ptr()) };
        io::Error::last_os_error()
    }
}

/// Memory for the stack of a child that shares its parent's.
pub(super) struct ChildStack(Vec<u8>);

impl ChildStack {
    pub(super) fn new() -> Self {
        Self(vec![0; 256 << 10])
    }
}

/// Runs `main` in a new process that shares this one's memory, and waits until it has executed a program or ended:
/// copying the memory of a process is most of what a fork costs. Nothing that `main` owns is dropped when it executes.
///
/// With a cgroup v2 directory the process is born inside it.
pub(super) fn fork_sharing_memory(
    stack: &mut ChildStack,
    cgroup: Option<BorrowedFd<'_>>,
    mut main: &mut dyn FnMut() -> c_int,
) -> io::Result<i32> {
    extern "C" fn enter(main: *mut libc::c_void) -> c_int {
        // SAFETY: the pointer is the one passed below; the parent, its owner, sleeps while this runs.
        let main = unsafe { &mut *main.cast::<&mut dyn FnMut() -> c_int>() };
        main()
    }
    let range = stack.0.as_mut_ptr_range();
    let top = range.end.wrapping_sub(range.end.addr() % 16);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK;
    let Some(directory) = cgroup else {
        // SAFETY: the stack is memory that nothing else uses meanwhile, and its top is aligned; with CLONE_VFORK this
        // process, which has one thread, doesn't run until the child has left its memory, so nothing is shared at once.
        let result = unsafe { libc::clone(enter, top.cast(), flags | libc::SIGCHLD, (&raw mut main).cast()) };
        return check(c_long::from(result)).map(to_pid);
    };
    let arguments = libc::clone_args {
        flags: u64::try_from(flags).unwrap_or(0) | CLONE_INTO_CGROUP,
        pidfd: 0,
        child_tid: 0,
        parent_tid: 0,
        exit_signal: u64::try_from(libc::SIGCHLD).unwrap_or(0),
        stack: range.start as u64,
        stack_size: (top.addr() - range.start.addr()) as u64,
        tls: 0,
        set_tid: 0,
        set_tid_size: 0,
        cgroup: u64::try_from(directory.as_raw_fd()).unwrap_or(0),
    };
    // SAFETY: as above; the structure outlives the call.
    let result = unsafe { clone3_and_enter(&arguments, enter, (&raw mut main).cast()) };
    if result < 0 { Err(io::Error::from_raw_os_error(-to_pid(result))) } else { Ok(to_pid(result)) }
}

/// `clone3` whose child starts with `enter(data)` on the stack that `arguments` name, and ends with what that returns.
/// Gives the child's pid or the negated error number. The C library has no such function.
///
/// # Safety
/// `arguments` must ask for `CLONE_VM` and `CLONE_VFORK` and name a stack whose top is aligned to 16 bytes and that
/// nothing else uses until the child has executed a program or ended.
unsafe fn clone3_and_enter(
    arguments: &libc::clone_args,
    enter: extern "C" fn(*mut libc::c_void) -> c_int,
    data: *mut libc::c_void,
) -> c_long {
    let result: c_long;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: both sides come out of the call with the same registers. The parent goes on at the end with its own
    // stack; the child never leaves: it calls `enter` on its aligned stack and then ends.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r13",
            "call r12",
            "mov edi, eax",
            "mov eax, {exit}",
            "syscall",
            "ud2",
            "2:",
            exit = const libc::SYS_exit,
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") ptr::from_ref(arguments),
            in("rsi") size_of::<libc::clone_args>(),
            in("r12") enter,
            in("r13") data,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x21",
            "blr x20",
            "mov x8, {exit}",
            "svc #0",
            "brk #1",
            "2:",
            exit = const libc::SYS_exit,
            inlateout("x0") ptr::from_ref(arguments) => result,
            in("x1") size_of::<libc::clone_args>(),
            in("x8") libc::SYS_clone3,
            in("x20") enter,
            in("x21") data,
        );
    }
    result
}

/// What `wait4` tells about a dead child.
pub(super) struct Dead {
    pub(super) pid: i32,
    /// Raw wait status.
    pub(super) status: c_int,
    /// Highest resident size, bytes, of the process and what it waited for. Never below the forking parent's.
    pub(super) max_resident: u64,
    /// Pages taken into use without reading from a disk, by the process and what it waited for.
    pub(super) page_faults: u64,
}

/// What waiting for a child came to.
pub(super) enum Waited {
    Dead(Dead),
    /// There are children, all alive.
    NotYet,
    NoChildren,
}

/// Waits for any child to die; with `WNOHANG`, only looks.
pub(super) fn wait_any(options: c_int) -> io::Result<Waited> {
    loop {
        let mut status = 0;
        // SAFETY: all-zero bytes are a valid rusage.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to live values that the kernel fills.
        let pid = unsafe { libc::wait4(-1, &raw mut status, options, &raw mut usage) };
        match pid {
            0 => return Ok(Waited::NotYet),
            pid if pid > 0 => {
                let max_resident = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
                let page_faults = u64::try_from(usage.ru_minflt).unwrap_or(0);
                return Ok(Waited::Dead(Dead { pid, status, max_resident, page_faults }));
            }
            _ => match io::Error::last_os_error() {
                e if e.raw_os_error() == Some(libc::ECHILD) => return Ok(Waited::NoChildren),
                e if e.kind() == io::ErrorKind::Interrupted => {}
                e => return Err(e),
            },
        }
    }
}

/// Sends SIGKILL to every process that the caller can see, but itself and PID 1.
pub(super) fn kill_all() {
    // SAFETY: takes integers.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}

/// User + system time of the calling process, nanoseconds.
pub(super) fn own_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live value that the kernel fills.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

fn usage(whose: c_int) -> libc::rusage {
    // SAFETY: all-zero bytes are a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live value that the kernel fills.
    unsafe { libc::getrusage(whose, &raw mut usage) };
    usage
}

/// Highest resident size of the calling process itself, bytes.
pub(super) fn own_max_resident() -> u64 {
    u64::try_from(usage(libc::RUSAGE_SELF).ru_maxrss).unwrap_or(0) * 1024
}

/// User + system time of all waited-for children of the calling process, nanoseconds.
pub(super) fn children_cpu_ns() -> u64 {
    let usage = usage(libc::RUSAGE_CHILDREN);
    let ns = |time: libc::timeval| {
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_usec).unwrap_or(0) * 1_000
    };
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

/// Gives every signal its default action and unblocks all of them.
pub(super) fn default_signals() {
    for signal in 1..=64 {
        // SAFETY: SIG_DFL runs no code of ours; numbers that can't be set are refused without effect.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: all-zero bytes are the empty set.
    let empty: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set outlives the call; the old mask isn't asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const empty, ptr::null_mut()) };
}

/// Dead children vanish without being waited for.
pub(super) fn ignore_dead_children() {
    // SAFETY: SIG_IGN runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// Dead children stay until they are waited for.
pub(super) fn notice_dead_children() {
    // SAFETY: SIG_DFL runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Leaves the named namespaces for new ones.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: the descriptor table isn't unshared.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// Adds attributes to a mount and all below it.
pub(super) fn add_mount_attributes(mount: BorrowedFd<'_>, attributes: u64, recursive: bool) -> io::Result<()> {
    let change = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a static empty string, the structure outlives the call and its size is passed.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    check(result).map(drop)
}

/// Installs a seccomp filter for this process and all it will create. Needs no-new-privileges.
pub(super) fn install_filter(program: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel copies `len` instructions, which outlive the call, and writes nothing.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
    check(result).map(drop)
}

/// Makes `number` (0, 1 or 2, or a slot that the caller reserved) refer to what `source` does, without close-on-exec.
pub(super) fn place_fd(source: BorrowedFd<'_>, number: RawFd) -> io::Result<()> {
    // SAFETY: nothing in the calling process owns `number`; the standard streams aren't used by it.
    check(c_long::from(unsafe { libc::dup2(source.as_raw_fd(), number) })).map(drop)
}

/// Marks all descriptors from `first` upwards close-on-exec.
pub(super) fn close_on_exec_from(first: u32) -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: c_int = 4;
    // SAFETY: takes integers; changes only a flag of each descriptor.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, CLOSE_RANGE_CLOEXEC) }).map(drop)
}

/// Closes all descriptors but the given ones, whatever owns them.
///
/// For a process that was just cloned and keeps nothing else of its parent's.
pub(super) fn keep_only(kept: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut numbers: Vec<u32> = kept.iter().filter_map(|fd| u32::try_from(fd.as_raw_fd()).ok()).collect();
    numbers.sort_unstable();
    let mut first = 0;
    for number in numbers.into_iter().chain([u32::MAX]) {
        if first < number {
            // SAFETY: takes integers; the caller gives up every descriptor in the range.
            check(unsafe { libc::syscall(libc::SYS_close_range, first, number - 1, 0) })?;
        }
        first = number.saturating_add(1);
    }
    Ok(())
}

/// Makes a system call without arguments that a filter should refuse; `Ok` if it was carried out.
///
/// Only for calls that do no harm with all arguments zero.
pub(super) fn try_call(call: HarmlessCall) -> io::Result<()> {
    let number = match call {
        HarmlessCall::Bpf => libc::SYS_bpf,
        HarmlessCall::IoUringSetup => libc::SYS_io_uring_setup,
        HarmlessCall::Keyctl => libc::SYS_keyctl,
        HarmlessCall::PerfEventOpen => libc::SYS_perf_event_open,
        HarmlessCall::Userfaultfd => libc::SYS_userfaultfd,
    };
    // SAFETY: each of the calls above refuses null pointers or, like userfaultfd and keyctl, only returns a number.
    check(unsafe { libc::syscall(number, 0, 0, 0, 0, 0) }).map(drop)
}

/// See [`try_call`].
#[derive(Debug, Clone, Copy)]
pub(super) enum HarmlessCall {
    Bpf,
    IoUringSetup,
    Keyctl,
    PerfEventOpen,
    Userfaultfd,
}
