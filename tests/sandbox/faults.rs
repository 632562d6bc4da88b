//! Faults of ours: each is an error that says which, and the sandbox goes on.

use std::fs;

use touchstone::sandbox::{CgroupChoice, End, Freshness, RunSpec, Sandbox, SandboxConfig, SandboxError};

use crate::harness::*;

#[test]
fn a_program_that_cannot_be_executed_is_not_a_report() {
    let sandbox = sandbox();
    for (path, words) in [("/box/missing", "No such file"), ("/etc/passwd", "Permission denied"), ("/usr", "denied")] {
        let mut wanted = spec(&[]);
        wanted.argv = vec![path.to_owned()];
        match try_run(&sandbox, &wanted) {
            Err(SandboxError::Exec { path: named, cause }) => {
                assert_eq!(named, path);
                assert!(cause.contains(words), "{cause}");
            }
            other => panic!("{path}: {other:?}"),
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text");
    fs::write(&path, "not a program").unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut wanted = spec(&[]);
    wanted.program_dir = Some(folder.path().to_owned());
    wanted.argv = vec!["/box/text".to_owned()];
    match try_run(&sandbox, &wanted) {
        Err(SandboxError::Exec { cause, .. }) => assert!(cause.contains("Exec format error"), "{cause}"),
        other => panic!("{other:?}"),
    }
    assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
}

#[test]
fn a_bad_request_is_refused() {
    let sandbox = sandbox();
    let bad = RunSpec { work_files: vec![("a/b".to_owned(), Vec::new().into())], ..spec(&["true"]) };
    assert!(matches!(try_run(&sandbox, &bad), Err(SandboxError::BadSpec(_))));
    let long = RunSpec { env: vec![("A".to_owned(), "x".repeat(1 << 20))], ..spec(&["true"]) };
    assert!(matches!(try_run(&sandbox, &long), Err(SandboxError::BadSpec(_))));
    assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
}

#[test]
fn a_sandbox_without_helper_or_slots_does_not_start() {
    let config = config(CgroupChoice::Off, 1);
    let missing = SandboxConfig { helper: "/does/not/exist".into(), ..config.clone() };
    assert!(matches!(Sandbox::start(missing), Err(SandboxError::Helper(_))));
    let wrong = SandboxConfig { helper: "/bin/true".into(), ..config.clone() };
    assert!(matches!(Sandbox::start(wrong), Err(SandboxError::Helper(_))));
    for slots in [0, 513, usize::MAX] {
        let result = Sandbox::start(SandboxConfig { slots, ..config.clone() });
        assert!(matches!(result, Err(SandboxError::BadSpec(_))), "{slots}");
    }
}

/// The spawners among this process's children.
fn spawners() -> Vec<i32> {
    let mut found = Vec::new();
    for task in fs::read_dir("/proc/self/task").unwrap().flatten() {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for pid in children.split_whitespace() {
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            if line.contains("__sandbox-spawner") {
                found.push(pid.parse().unwrap());
            }
        }
    }
    found
}

/// The keepers of all slots.
fn keepers() -> Vec<i32> {
    spawners().into_iter().flat_map(children).collect()
}

fn children(pid: i32) -> Vec<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// Kills it and waits until it is dead.
fn kill(pid: i32) {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let process = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()).unwrap();
    pidfd_send_signal(&process, Signal::KILL).unwrap();
    let mut fds = [rustix::event::PollFd::new(&process, rustix::event::PollFlags::IN)];
    rustix::event::poll(&mut fds, None).unwrap();
}

/// Runs in a process of its own, so that no other test's helper is killed by it.
#[test]
#[ignore = "started by a_dead_helper_is_noticed_at_once_and_replaced"]
fn kill_the_helper() {
    for freshness in [Freshness::Fresh, Freshness::Wiped { tag: 1 }] {
        let sandbox = Sandbox::start(config(CgroupChoice::Auto, 1)).unwrap();
        let hello = RunSpec { freshness, ..spec(&["hello"]) };
        assert_prints(&run(&sandbox, &hello), "hello\n");
        // Between runs: the next one just works.
        let [keeper] = keepers()[..] else { panic!("one keeper per slot") };
        kill(keeper);
        assert_prints(&run(&sandbox, &hello), "hello\n");
        // During a run: an error, long before any limit.
        let [keeper] = keepers()[..] else { panic!("one keeper per slot") };
        let mut sleeper = RunSpec { freshness, ..spec(&["sleep", "1000"]) };
        sleeper.limits.wall_ms = 60_000;
        let mark = format!("helper-{}", std::process::id());
        sleeper.argv.push(mark.clone());
        std::thread::scope(|scope| {
            let running = scope.spawn(|| try_run(&sandbox, &sleeper));
            while processes_with(&mark) == 0 {
                std::thread::yield_now();
            }
            let killed = std::time::Instant::now();
            kill(keeper);
            let result = running.join().unwrap();
            assert!(matches!(result, Err(SandboxError::Helper(_))), "{result:?}");
            assert!(killed.elapsed().as_secs() < 10);
        });
        assert_eq!(processes_with(&mark), 0);
        assert_prints(&run(&sandbox, &hello), "hello\n");
        // The init, too.
        let [keeper] = keepers()[..] else { panic!("one keeper per slot") };
        std::thread::scope(|scope| {
            let running = scope.spawn(|| try_run(&sandbox, &sleeper));
            while processes_with(&mark) == 0 {
                std::thread::yield_now();
            }
            let killed = std::time::Instant::now();
            children(keeper).into_iter().for_each(kill);
            let result = running.join().unwrap();
            assert!(matches!(result, Err(SandboxError::Helper(_))), "{result:?}");
            assert!(killed.elapsed().as_secs() < 10);
        });
        assert_eq!(processes_with(&mark), 0);
        assert_prints(&run(&sandbox, &hello), "hello\n");
    }
}

/// Runs in a process of its own, for the same reason.
#[test]
#[ignore = "started by a_dead_spawner_is_replaced_when_it_is_needed"]
fn kill_the_spawner() {
    let sandbox = Sandbox::start(config(CgroupChoice::Auto, 1)).unwrap();
    let hello = RunSpec { freshness: Freshness::Wiped { tag: 1 }, ..spec(&["hello"]) };
    assert_prints(&run(&sandbox, &hello), "hello\n");
    let [spawner] = spawners()[..] else { panic!("one spawner") };
    let [keeper] = keepers()[..] else { panic!("one keeper") };
    kill(spawner);
    // The slot that is there goes on; one that has to be made gets another spawner.
    assert_prints(&run(&sandbox, &hello), "hello\n");
    assert!(spawners().is_empty());
    kill(keeper);
    assert_prints(&run(&sandbox, &hello), "hello\n");
    assert_eq!((spawners().len(), keepers().len()), (1, 1));
    // Both at the same time.
    kill(keepers()[0]);
    kill(spawners()[0]);
    assert_prints(&run(&sandbox, &hello), "hello\n");
    assert_eq!((spawners().len(), keepers().len()), (1, 1));
}

/// Runs in a process of its own, since others' helpers would be counted.
#[test]
#[ignore = "started by a_retired_sandbox_holds_nothing_and_goes_on"]
fn retire() {
    let sandbox = Sandbox::start(config(CgroupChoice::Auto, 2)).unwrap();
    assert_eq!(keepers().len(), 2);
    assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
    sandbox.retire();
    assert!(keepers().is_empty());
    assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
    assert_eq!(keepers().len(), 1);
}

fn assert_holds_in_a_process_of_its_own(test: &str) {
    let done = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn a_dead_helper_is_noticed_at_once_and_replaced() {
    assert_holds_in_a_process_of_its_own("faults::kill_the_helper");
}

#[test]
fn a_dead_spawner_is_replaced_when_it_is_needed() {
    assert_holds_in_a_process_of_its_own("faults::kill_the_spawner");
}

#[test]
fn a_retired_sandbox_holds_nothing_and_goes_on() {
    assert_holds_in_a_process_of_its_own("faults::retire");
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let sandbox = sandbox();
    let changes: [fn(&mut RunSpec); 4] = [
        |s| s.limits.cpu_ms = 0,
        |s| s.limits.memory_bytes = 0,
        |s| s.limits.processes = u64::MAX,
        |s| s.limits.open_files = 0,
    ];
    for change in changes {
        let mut wanted = spec(&["true"]);
        change(&mut wanted);
        let result = try_run(&sandbox, &wanted);
        assert!(matches!(result, Err(SandboxError::BadSpec(_))), "{result:?}");
    }
    let mut huge = spec(&["hello"]);
    huge.limits.cpu_ms = u64::MAX;
    huge.limits.memory_bytes = u64::MAX;
    huge.limits.open_files = u64::MAX;
    huge.limits.stack_bytes = 1 << 40;
    assert_prints(&run(&sandbox, &huge), "hello\n");
}

#[test]
fn work_files_without_room_are_our_fault() {
    let sandbox = sandbox();
    let mut wanted = spec(&["hello"]);
    wanted.work_files = vec![("big".to_owned(), vec![1; 2 << 20].into())];
    wanted.limits.written_bytes = 1 << 20;
    match try_run(&sandbox, &wanted) {
        Err(SandboxError::Helper(text)) => {
            assert!(text.contains("write the work file big") && text.contains("No space left"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
}

#[test]
fn a_helper_that_may_not_be_executed_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("touchstone");
    fs::copy(helper(), &path).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    match Sandbox::start(SandboxConfig { helper: path.clone(), ..config(CgroupChoice::Off, 1) }) {
        Err(SandboxError::Helper(text)) => {
            assert!(text.contains(path.to_str().unwrap()) && text.contains("Permission denied"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn control_groups_that_cannot_be_written_are_named() {
    if rustix::process::geteuid().is_root() {
        // The same once more where they can't.
        let script = "for at in $(awk '$3 ~ /^cgroup/ { print $2 }' /proc/mounts); do \
                      mount -o remount,bind,ro $at || exit 1; done; exec \"$@\"";
        let done = std::process::Command::new("unshare")
            .args(["--mount", "sh", "-c", script, "sh"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "faults::without_writable_control_groups", "--ignored"])
            .output()
            .unwrap();
        let said = [done.stdout, done.stderr].concat();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&said));
    }
}

#[test]
#[ignore = "started by control_groups_that_cannot_be_written_are_named"]
fn without_writable_control_groups() {
    for choice in [CgroupChoice::Auto, CgroupChoice::V1, CgroupChoice::V2] {
        let sandbox = start(choice);
        let description = sandbox.describe();
        assert!(!sandbox.describe().cgroups, "{description:?}");
        assert!(!description.obstacles.is_empty(), "{description:?}");
        assert!(description.obstacles.iter().all(|text| text.starts_with("version ")), "{description:?}");
        assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
    }
}

#[test]
fn several_threads_may_run_at_once() {
    let sandbox = Sandbox::start(config(CgroupChoice::Auto, 3)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for round in 0..5u64 {
                    let code = thread * 10 + i32::try_from(round).unwrap();
                    let freshness = if round % 2 == 0 { Freshness::Fresh } else { Freshness::Wiped { tag: round } };
                    let seen = run(sandbox, &RunSpec { freshness, ..spec(&["exit", &code.to_string()]) });
                    assert_eq!(seen.report.end, End::Exited(code));
                }
            });
        }
    });
}
