//! The system-call filter: a deny list, as the innermost of several walls.
//!
//! Owns: which calls a program may not make, and the filter's code. Must not know: namespaces, mounts, limits.
//!
//! A deny list, since every new compiler and runtime uses new calls and an allow list breaks with each; what it denies
//! is what reaches into parts of the kernel that no program under test needs. The code is a balanced tree over call
//! numbers: a linear list costs about 3 µs a rule to install (the kernel tries it for every call number to fill its
//! cache), and every fresh slot installs it once.

use libc::{c_long, sock_filter};

/// What happens to one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Allow,
    Fail(i32),
    /// Fails if any of these bits is set in the argument.
    FailBits {
        argument: u32,
        bits: u32,
        errno: i32,
    },
    /// Fails if the argument is one of these.
    FailValues {
        argument: u32,
        values: &'static [u32],
        errno: i32,
    },
    /// Fails unless the argument is this.
    FailUnless {
        argument: u32,
        value: u32,
        errno: i32,
    },
}

#[cfg(target_arch = "x86_64")]
const AUDIT_ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const AUDIT_ARCH: u32 = 0xc000_00b7;

/// First number of the x32 calls, another ABI on the same architecture.
const X32_FIRST: u32 = 0x4000_0000;

const NEW_NAMESPACE: u32 = 0x7e02_0000;
const NEW_USER: u32 = 0x1000_0000;
const NEW_CGROUP: u32 = 0x0200_0000;

const EPERM: Rule = Rule::Fail(libc::EPERM);
/// Does nothing and returns 0.
const PRETEND: Rule = Rule::Fail(0);
const ENOSYS: Rule = Rule::Fail(libc::ENOSYS);

/// Calls denied on every architecture.
const DENIED: &[(c_long, Rule)] = &[
    // Namespaces and mounts.
    // By it each program that is born in a group leaves the view of all others; without rights nobody can.
    (libc::SYS_unshare, Rule::FailUnless { argument: 0, value: NEW_CGROUP, errno: libc::EPERM }),
    (libc::SYS_clone, Rule::FailBits { argument: 0, bits: NEW_NAMESPACE, errno: libc::EPERM }),
    // The slot's init lets each program enter the slot's user namespace by it; a program has no rights over any.
    (libc::SYS_setns, Rule::FailUnless { argument: 1, value: NEW_USER, errno: libc::EPERM }),
    (libc::SYS_mount, EPERM),
    (libc::SYS_umount2, EPERM),
    (libc::SYS_pivot_root, EPERM),
    (libc::SYS_chroot, EPERM),
    (libc::SYS_fsopen, EPERM),
    (libc::SYS_fsconfig, EPERM),
    (libc::SYS_fsmount, EPERM),
    (libc::SYS_fspick, EPERM),
    (libc::SYS_move_mount, EPERM),
    (libc::SYS_open_tree, EPERM),
    (libc::SYS_mount_setattr, EPERM),
    (457, EPERM), // statmount
    (458, EPERM), // listmount
    (467, EPERM), // open_tree_attr
    (libc::SYS_quotactl, EPERM),
    (libc::SYS_quotactl_fd, EPERM),
    (libc::SYS_open_by_handle_at, EPERM),
    (libc::SYS_name_to_handle_at, EPERM),
    // Other processes.
    (libc::SYS_ptrace, EPERM),
    (libc::SYS_process_vm_readv, EPERM),
    (libc::SYS_process_vm_writev, EPERM),
    (libc::SYS_process_madvise, EPERM),
    (libc::SYS_kcmp, EPERM),
    (libc::SYS_pidfd_getfd, EPERM),
    // Keys outlive processes.
    (libc::SYS_add_key, EPERM),
    (libc::SYS_request_key, EPERM),
    (libc::SYS_keyctl, EPERM),
    // Large surfaces.
    (libc::SYS_io_uring_setup, EPERM),
    (libc::SYS_io_uring_enter, EPERM),
    (libc::SYS_io_uring_register, EPERM),
    (libc::SYS_userfaultfd, EPERM),
    (libc::SYS_perf_event_open, EPERM),
    (libc::SYS_bpf, EPERM),
    (libc::SYS_fanotify_init, EPERM),
    (libc::SYS_fanotify_mark, EPERM),
    (libc::SYS_socket, Rule::FailUnless { argument: 0, value: 1, errno: libc::EAFNOSUPPORT }),
    // IPC objects outlive processes.
    (libc::SYS_msgget, ENOSYS),
    (libc::SYS_msgsnd, ENOSYS),
    (libc::SYS_msgrcv, ENOSYS),
    (libc::SYS_msgctl, ENOSYS),
    (libc::SYS_semget, ENOSYS),
    (libc::SYS_semop, ENOSYS),
    (libc::SYS_semctl, ENOSYS),
    (libc::SYS_semtimedop, ENOSYS),
    (libc::SYS_shmget, ENOSYS),
    (libc::SYS_shmat, ENOSYS),
    (libc::SYS_shmctl, ENOSYS),
    (libc::SYS_shmdt, ENOSYS),
    (libc::SYS_mq_open, ENOSYS),
    (libc::SYS_mq_unlink, ENOSYS),
    (libc::SYS_mq_timedsend, ENOSYS),
    (libc::SYS_mq_timedreceive, ENOSYS),
    (libc::SYS_mq_notify, ENOSYS),
    (libc::SYS_mq_getsetattr, ENOSYS),
    // Locks on shared files are messages to the neighbours. An error would do harm (the JVM prints a warning on its
    // standard output), so they seem to succeed.
    (libc::SYS_flock, PRETEND),
    (
        libc::SYS_fcntl,
        // F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY
        Rule::FailValues { argument: 1, values: &[6, 7, 37, 38, 1024, 1026], errno: 0 },
    ),
    // TIOCSTI, TIOCLINUX
    (libc::SYS_ioctl, Rule::FailValues { argument: 1, values: &[0x5412, 0x541c], errno: libc::EPERM }),
    // The machine itself.
    (libc::SYS_init_module, EPERM),
    (libc::SYS_finit_module, EPERM),
    (libc::SYS_delete_module, EPERM),
    (libc::SYS_kexec_load, EPERM),
    (libc::SYS_reboot, EPERM),
    (libc::SYS_swapon, EPERM),
    (libc::SYS_swapoff, EPERM),
    (libc::SYS_settimeofday, EPERM),
    (libc::SYS_clock_settime, EPERM),
    (libc::SYS_clock_adjtime, EPERM),
    (libc::SYS_adjtimex, EPERM),
    (libc::SYS_syslog, EPERM),
    (libc::SYS_acct, EPERM),
    (libc::SYS_vhangup, EPERM),
    (libc::SYS_sethostname, EPERM),
    (libc::SYS_setdomainname, EPERM),
    (libc::SYS_personality, EPERM),
    // Memory placement on particular nodes.
    (libc::SYS_mbind, EPERM),
    (libc::SYS_set_mempolicy, EPERM),
    (libc::SYS_set_mempolicy_home_node, EPERM),
    (libc::SYS_get_mempolicy, EPERM),
    (libc::SYS_migrate_pages, EPERM),
    (libc::SYS_move_pages, EPERM),
];

#[cfg(target_arch = "x86_64")]
const DENIED_HERE: &[(c_long, Rule)] = &[
    (libc::SYS_kexec_file_load, EPERM),
    (libc::SYS_iopl, EPERM),
    (libc::SYS_ioperm, EPERM),
    (libc::SYS_modify_ldt, EPERM),
    (libc::SYS_uselib, EPERM),
    (libc::SYS_ustat, EPERM),
    (libc::SYS_sysfs, EPERM),
    (libc::SYS__sysctl, EPERM),
    (libc::SYS_lookup_dcookie, EPERM),
];
#[cfg(target_arch = "aarch64")]
const DENIED_HERE: &[(c_long, Rule)] = &[(libc::SYS_kexec_file_load, EPERM), (libc::SYS_lookup_dcookie, EPERM)];

/// `clone3`'s flags are out of a filter's reach; refused like this, the C library uses `clone`.
const CLONE3: (c_long, Rule) = (libc::SYS_clone3, ENOSYS);

/// The filter that a slot's init installs for itself and all its children. With `init_needs_clone3`, programs must
/// install [`clone3_filter`] besides.
pub(super) fn slot_filter(init_needs_clone3: bool) -> Vec<sock_filter> {
    let mut code = prologue();
    let clone3 = Some(CLONE3).filter(|_| !init_needs_clone3);
    code.extend(tree(&ranges(DENIED.iter().chain(DENIED_HERE).copied().chain(clone3))));
    code
}

/// Refuses `clone3` alone.
pub(super) fn clone3_filter() -> Vec<sock_filter> {
    let mut code = vec![load(0)];
    code.extend(tree(&ranges([CLONE3].into_iter())));
    code
}

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const JUMP_ANY_BIT: u16 = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERRNO: u32 = 0x0005_0000;

fn instruction(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn load(offset: u32) -> sock_filter {
    instruction(LOAD, offset, 0, 0)
}

fn give(action: u32) -> sock_filter {
    instruction(RETURN, action, 0, 0)
}

fn fail(errno: i32) -> sock_filter {
    give(ERRNO | u32::try_from(errno).unwrap_or(1))
}

/// Kills on a call of another ABI; leaves the call's number loaded.
fn prologue() -> Vec<sock_filter> {
    vec![
        load(4),
        instruction(JUMP_EQUAL, AUDIT_ARCH, 1, 0),
        give(KILL),
        load(0),
        instruction(JUMP_AT_LEAST, X32_FIRST, 0, 1),
        give(KILL),
    ]
}

/// Splits the line of call numbers into ranges of one rule each: (first number, rule).
fn ranges(rules: impl Iterator<Item = (c_long, Rule)>) -> Vec<(u32, Rule)> {
    let mut rules: Vec<(u32, Rule)> = rules.filter_map(|(n, rule)| Some((u32::try_from(n).ok()?, rule))).collect();
    rules.sort_unstable_by_key(|&(number, _)| number);
    let mut line = vec![(0, Rule::Allow)];
    for (number, rule) in rules {
        line.push((number, rule));
        line.push((number + 1, Rule::Allow));
    }
    // Of two entries for one number the later says what holds; equal neighbours are one range.
    let mut merged: Vec<(u32, Rule)> = Vec::new();
    for entry in line {
        if merged.last().is_some_and(|last| last.0 == entry.0) {
            merged.pop();
        }
        if merged.last().is_none_or(|last| last.1 != entry.1) {
            merged.push(entry);
        }
    }
    merged
}

fn tree(ranges: &[(u32, Rule)]) -> Vec<sock_filter> {
    match ranges {
        [] => vec![give(ALLOW)],
        [(_, rule)] => leaf(*rule),
        _ => {
            let (low, high) = ranges.split_at(ranges.len() / 2);
            let low = tree(low);
            // A jump skips at most 255 instructions; a test holds that the lists above stay far below that.
            let skip = u8::try_from(low.len()).unwrap_or(u8::MAX);
            let mut code = vec![instruction(JUMP_AT_LEAST, high[0].0, skip, 0)];
            code.extend(low);
            code.extend(tree(high));
            code
        }
    }
}

fn leaf(rule: Rule) -> Vec<sock_filter> {
    // Only the low half of an argument is looked at: the kernel takes these as 32-bit integers too.
    let argument_at = |index: u32| load(16 + 8 * index);
    match rule {
        Rule::Allow => vec![give(ALLOW)],
        Rule::Fail(errno) => vec![fail(errno)],
        Rule::FailBits { argument, bits, errno } => {
            vec![argument_at(argument), instruction(JUMP_ANY_BIT, bits, 0, 1), fail(errno), give(ALLOW)]
        }
        Rule::FailUnless { argument, value, errno } => {
            vec![argument_at(argument), instruction(JUMP_EQUAL, value, 1, 0), fail(errno), give(ALLOW)]
        }
        Rule::FailValues { argument, values, errno } => {
            let mut code = vec![argument_at(argument)];
            for value in values {
                code.extend([instruction(JUMP_EQUAL, *value, 0, 1), fail(errno)]);
            }
            code.push(give(ALLOW));
            code
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a filter as the kernel would.
    fn verdict(code: &[sock_filter], number: u32, arch: u32, arguments: [u64; 6]) -> u32 {
        let mut data = Vec::new();
        data.extend(number.to_le_bytes());
        data.extend(arch.to_le_bytes());
        data.extend(0u64.to_le_bytes());
        data.extend(arguments.iter().flat_map(|a| a.to_le_bytes()));
        let (mut at, mut accumulator) = (0usize, 0u32);
        loop {
            let step = code[at];
            at += 1;
            let offset = usize::try_from(step.k).unwrap_or(usize::MAX);
            let holds = match step.code {
                LOAD => {
                    let bytes = [data[offset], data[offset + 1], data[offset + 2], data[offset + 3]];
                    accumulator = u32::from_le_bytes(bytes);
                    continue;
                }
                RETURN => return step.k,
                JUMP_EQUAL => accumulator == step.k,
                JUMP_AT_LEAST => accumulator >= step.k,
                JUMP_ANY_BIT => accumulator & step.k != 0,
                other => panic!("unknown instruction {other:#x}"),
            };
            at += usize::from(if holds { step.jt } else { step.jf });
        }
    }

    fn plain(number: c_long) -> u32 {
        verdict(&slot_filter(false), u32::try_from(number).unwrap_or(0), AUDIT_ARCH, [0; 6])
    }

    #[test]
    fn every_listed_call_is_denied_and_its_neighbours_are_not() {
        let listed: Vec<u32> = DENIED
            .iter()
            .chain(DENIED_HERE)
            .chain([&CLONE3])
            .filter_map(|&(number, _)| u32::try_from(number).ok())
            .collect();
        let filter = slot_filter(false);
        for number in 0..500 {
            let got = verdict(&filter, number, AUDIT_ARCH, [0; 6]);
            if !listed.contains(&number) {
                assert_eq!(got, ALLOW, "call {number}");
            }
        }
        for (number, rule) in DENIED.iter().chain(DENIED_HERE) {
            if let Rule::Fail(errno) = rule {
                assert_eq!(plain(*number), ERRNO | u32::try_from(*errno).unwrap_or(0), "call {number}");
            }
        }
    }

    #[test]
    fn other_abis_are_killed() {
        let filter = slot_filter(false);
        assert_eq!(verdict(&filter, 1, 0x4000_0003, [0; 6]), KILL);
        assert_eq!(verdict(&filter, X32_FIRST + 1, AUDIT_ARCH, [0; 6]), KILL);
    }

    #[test]
    fn arguments_decide_where_they_should() {
        let filter = slot_filter(false);
        let with = |number: c_long, arguments| {
            verdict(&filter, u32::try_from(number).unwrap_or(0), AUDIT_ARCH, arguments) == ALLOW
        };
        assert!(with(libc::SYS_clone, [17, 0, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_clone, [0x1000_0011, 0, 0, 0, 0, 0]));
        assert!(with(libc::SYS_socket, [1, 1, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_socket, [2, 1, 0, 0, 0, 0]));
        assert!(with(libc::SYS_fcntl, [0, 3, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_fcntl, [0, 6, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_ioctl, [0, 0x5412, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_ioctl, [0, 0xffff_ffff_0000_5412, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_setns, [3, 0, 0, 0, 0, 0]));
        assert!(with(libc::SYS_unshare, [0x0200_0000, 0, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_unshare, [0x1200_0000, 0, 0, 0, 0, 0]));
        assert!(!with(libc::SYS_unshare, [0x1000_0000, 0, 0, 0, 0, 0]));
    }

    #[test]
    fn no_jump_is_cut_short() {
        fn longest(ranges: &[(u32, Rule)]) -> usize {
            if ranges.len() < 2 {
                return 0;
            }
            let (low, high) = ranges.split_at(ranges.len() / 2);
            tree(low).len().max(longest(low)).max(longest(high))
        }
        assert!(longest(&ranges(DENIED.iter().chain(DENIED_HERE).copied())) < 255);
    }

    #[test]
    fn clone3_has_its_own_filter() {
        let number = u32::try_from(libc::SYS_clone3).unwrap_or(0);
        assert_eq!(verdict(&slot_filter(true), number, AUDIT_ARCH, [0; 6]), ALLOW);
        assert_eq!(verdict(&slot_filter(false), number, AUDIT_ARCH, [0; 6]), ERRNO | 0x26);
        assert_eq!(verdict(&clone3_filter(), number, AUDIT_ARCH, [0; 6]), ERRNO | 0x26);
        assert_eq!(verdict(&clone3_filter(), 1, AUDIT_ARCH, [0; 6]), ALLOW);
    }
}
