//! Isolation: what a program can't see, reach or leave behind.

use rstest::rstest;
use touchstone::sandbox::{Bind, CgroupChoice, End, Freshness, KillReason, RunSpec};

use crate::harness::*;

#[test]
fn a_program_is_nobody_nowhere() {
    let seen = run(&sandbox(), &spec(&["identity"]));
    assert_prints(&seen, "pid >1 uid 1000 gid 1000 host sandbox cwd /w blocked 0 ignored 0 nnp 1\n");
}

#[test]
fn only_the_standard_streams_are_open() {
    assert_prints(&run(&sandbox(), &spec(&["fds"])), "0 1 2 \n");
}

#[test]
fn the_environment_is_exactly_the_given_one() {
    let sandbox = sandbox();
    assert_prints(&run(&sandbox, &spec(&["env"])), "");
    let env = vec![("A".to_owned(), "1".to_owned()), ("B".to_owned(), "x=y".to_owned())];
    assert_prints(&run(&sandbox, &RunSpec { env, ..spec(&["env"]) }), "A=1\nB=x=y\n");
}

#[test]
fn dynamic_programs_find_their_libraries() {
    assert_prints(&run(&sandbox(), &spec_of("dynamic", &["hello"])), "hello\n");
}

#[test]
fn there_is_no_network() {
    let seen = run(&sandbox(), &spec(&["sockets"]));
    assert_eq!(seen.stdout.matches("Address family not supported").count(), 4, "{seen:?}");
}

#[test]
fn host_files_are_not_there() {
    let sandbox = sandbox();
    let secret = tempfile::NamedTempFile::new().unwrap();
    let path = secret.path().to_str().unwrap();
    let seen = run(&sandbox, &spec(&["read", path]));
    assert_prints(&seen, &format!("{path}: No such file or directory\n"));
    let mut root: Vec<_> = run(&sandbox, &spec(&["list", "/"])).stdout.lines().map(str::to_owned).collect();
    root.retain(|name| !["bin", "sbin", "lib", "lib32", "lib64", "libx32"].contains(&name.as_str()));
    root.sort();
    assert_eq!(root, ["box", "dev", "etc", "proc", "tmp", "usr", "w"]);
    let passwd = run(&sandbox, &spec(&["read", "/etc/passwd"]));
    assert_prints(&passwd, "program:x:1000:1000::/w:/bin/sh\n");
    let shadow = run(&sandbox, &spec(&["read", "/etc/shadow"]));
    assert_prints(&shadow, "/etc/shadow: No such file or directory\n");
}

#[test]
fn nothing_shown_can_be_written() {
    let sandbox = sandbox();
    for place in ["/", "/box", "/usr", "/usr/bin", "/etc", "/proc", "/dev"] {
        let seen = run(&sandbox, &spec(&["fill", place]));
        assert_prints(&seen, "0\n");
    }
}

#[test]
fn what_is_written_is_bounded_in_all_places_together() {
    let sandbox = sandbox();
    for place in ["/w", "/tmp", "/dev/shm"] {
        let mut wanted = spec(&["fill", place]);
        wanted.limits.written_bytes = 1 << 20;
        let seen = run(&sandbox, &wanted);
        // A page more than the limit, so that a full folder means that the limit was passed.
        assert_eq!(seen.stdout, "1052672\n", "{seen:?}");
        assert_eq!(seen.report.killed, Some(KillReason::Output), "{seen:?}");
    }
}

#[test]
fn all_that_is_allowed_may_be_written() {
    let mut wanted = spec(&["fill", "/w"]);
    // Of 64 files, 256 KiB each.
    wanted.limits.written_bytes = 16 << 20;
    assert_prints(&run(&sandbox(), &wanted), "16777216\n");
}

#[test]
fn binds_show_what_they_are_told_to() {
    let sandbox = sandbox();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "contents").unwrap();
    let bind =
        |target: &str, source: &std::path::Path| Bind { source: source.into(), target: target.into(), exec: false };
    let binds = vec![bind("/opt/tool", folder.path()), bind("/etc/one", &folder.path().join("file"))];
    for path in ["/opt/tool/file", "/etc/one"] {
        let seen = run(&sandbox, &RunSpec { binds: binds.clone(), ..spec(&["read", path]) });
        assert_prints(&seen, "contents");
    }
    let gone = run(&sandbox, &spec(&["read", "/opt/tool/file"]));
    assert_prints(&gone, "/opt/tool/file: No such file or directory\n");
}

#[test]
fn ways_out_are_closed() {
    let seen = run(&sandbox(), &spec(&["escape"]));
    assert_eq!(seen.report.end, End::Exited(0), "{seen:?}");
    assert!(!seen.stdout.contains(": done"), "{seen:?}");
    assert_eq!(seen.stdout.lines().count(), 13, "{seen:?}");
}

#[test]
fn the_init_is_out_of_reach() {
    let sandbox = sandbox();
    let seen = run(&sandbox, &spec(&["peek"]));
    assert_eq!(seen.report.end, End::Exited(0), "{seen:?}");
    assert!(!seen.stdout.contains(": done"), "{seen:?}");
    for _ in 0..2 {
        let wanted = RunSpec { freshness: Freshness::Wiped { tag: 1 }, ..spec(&["kill-all"]) };
        let seen = run(&sandbox, &wanted);
        assert_eq!((seen.report.end, seen.report.killed), (End::Exited(0), None), "{seen:?}");
    }
}

#[rstest]
#[case::int80("int80")]
#[case::x32("x32")]
fn other_abis_are_killed(#[case] program: &str) {
    let seen = run(&sandbox(), &spec(&[program]));
    assert_eq!(seen.report.end, End::Signaled(31), "{seen:?}");
}

#[test]
fn nothing_is_left_running() {
    for kind in kinds() {
        let sandbox = start(kind);
        let mark = format!("mark-{}-{kind:?}", std::process::id());
        for program in ["daemon", "busy-daemon", "sleep", "fork-bomb"] {
            let mut wanted = spec(&[program, "0", &mark]);
            wanted.limits.wall_ms = 300 * patience();
            let seen = run(&sandbox, &wanted);
            assert_eq!(processes_with(&mark), 0, "{seen:?}");
            let expected = (program == "sleep").then_some(KillReason::Wall);
            assert_eq!(seen.report.killed, expected, "{seen:?}");
        }
    }
}

#[test]
fn a_later_run_sees_nothing_of_an_earlier_one() {
    let sandbox = sandbox();
    let tagged = |arguments: &[&str]| RunSpec { freshness: Freshness::Wiped { tag: 7 }, ..spec(arguments) };
    let look = || {
        let places = ["/w", "/tmp", "/dev/shm", "/proc"];
        let seen = places.map(|place| run(&sandbox, &tagged(&["list", place])).stdout);
        let [w, tmp, shm, proc] = seen;
        let processes = proc.lines().filter(|name| name.parse::<u32>().is_ok()).count();
        (w, tmp, shm, processes)
    };
    let before = look();
    assert_eq!(before, (String::new(), String::new(), String::new(), 1));
    run(&sandbox, &tagged(&["leave"]));
    assert_eq!(look(), before);
}

#[test]
fn process_numbers_do_not_tell_of_earlier_runs() {
    let sandbox = sandbox();
    let tagged = |arguments: &[&str]| RunSpec { freshness: Freshness::Wiped { tag: 7 }, ..spec(arguments) };
    if !counts_pids_anew() {
        return;
    }
    for forks in ["0", "50", "0"] {
        assert_prints(&run(&sandbox, &tagged(&["forks", forks])), "2\n");
    }
}

#[test]
fn the_names_of_control_groups_tell_nothing() {
    for kind in kinds() {
        let sandbox = start(kind);
        for _ in 0..3 {
            let seen = run(&sandbox, &spec(&["read", "/proc/self/cgroup"]));
            assert!(!seen.stdout.contains("touchstone"), "{kind:?}: {seen:?}");
            let path = |line: &str| line.rsplit(':').next().unwrap_or_default().to_owned();
            let own = |line: &&str| matches!(path(line).as_str(), "/" | "/../run0" | "/../run1");
            // Hierarchies that the sandbox doesn't use are the server's.
            let used = seen.stdout.lines().filter(|line| kind != CgroupChoice::V2 || line.starts_with("0:"));
            assert!(used.clone().count() > 0 && used.clone().all(|line| own(&line)), "{kind:?}: {seen:?}");
        }
    }
}
