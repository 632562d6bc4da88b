//! Limits and meters, with every kind of cgroup.

use rstest::rstest;
use touchstone::sandbox::{
    Cores, CpuSource, End, Freshness, KillReason, MemorySource, RunSpec, Sandbox, SandboxConfig,
};

use crate::harness::*;

#[rstest]
#[case(&["true"], End::Exited(0))]
#[case(&["exit", "3"], End::Exited(3))]
#[case(&["exit", "137"], End::Exited(137))]
#[case(&["abort"], End::Signaled(6))]
#[case(&["segv"], End::Signaled(11))]
#[case(&["fpe"], End::Signaled(8))]
#[case(&["ill"], End::Signaled(4))]
#[case(&["sigpipe"], End::Signaled(13))]
#[case(&["raise", "9"], End::Signaled(9))]
#[case(&["raise", "24"], End::Signaled(24))]
#[case(&["kill-self", "15"], End::Signaled(15))]
fn ends_are_exact(#[case] arguments: &[&str], #[case] end: End) {
    let seen = run(&sandbox(), &spec(arguments));
    assert_eq!((seen.report.end, seen.report.killed), (end, None), "{seen:?}");
    assert!(!seen.report.oom_killed, "{seen:?}");
}

#[rstest]
#[case(&["spin"], KillReason::Cpu)]
#[case(&["stubborn"], KillReason::Cpu)]
#[case(&["ignored-children-spin"], KillReason::Cpu)]
#[case(&["threads", "60000"], KillReason::Cpu)]
#[case(&["sleep"], KillReason::Wall)]
#[case(&["touch", "200"], KillReason::Memory)]
#[case(&["touch-children", "200"], KillReason::Memory)]
#[case(&["memfd", "200"], KillReason::Memory)]
#[case(&["flood"], KillReason::Output)]
#[case(&["sparse"], KillReason::Output)]
fn limits_hold(#[case] arguments: &[&str], #[case] reason: KillReason) {
    for kind in kinds() {
        if kind == touchstone::sandbox::CgroupChoice::Off && arguments[0] == "memfd" {
            // Pages of a memfd that isn't mapped are in nobody's resident size.
            continue;
        }
        let sandbox = start(kind);
        let mut wanted = spec(arguments);
        if reason == KillReason::Cpu {
            wanted.limits.cpu_ms = 300;
        }
        if arguments[0] == "memfd" {
            wanted.limits.written_bytes = 1 << 30;
        }
        wanted.limits.wall_ms = if reason == KillReason::Wall { 300 } else { 20_000 * patience() };
        let seen = run(&sandbox, &wanted);
        let report = &seen.report;
        // Where the kernel ends a program for memory before the sandbox looks, the fact is in `oom_killed`.
        let met = report.killed == Some(reason) || (reason == KillReason::Memory && report.oom_killed);
        assert!(met, "{kind:?}: {seen:?}");
        assert!(report.wall_us < 10_000_000 * patience(), "{kind:?}: {seen:?}");
        match reason {
            KillReason::Cpu => assert!((300_000..450_000 * patience()).contains(&report.cpu_us), "{kind:?}: {seen:?}"),
            KillReason::Wall => {
                assert!((300_000..3_000_000 * patience()).contains(&report.wall_us), "{kind:?}: {seen:?}");
            }
            KillReason::Memory => assert!(report.memory_bytes > 60 << 20, "{kind:?}: {seen:?}"),
            KillReason::Output => assert!(report.cpu_us < 300_000 * patience(), "{kind:?}: {seen:?}"),
        }
        assert_prints(&run(&sandbox, &spec(&["hello"])), "hello\n");
    }
}

#[rstest]
#[case(&["burn", "200"])]
#[case(&["threads", "200"])]
#[case(&["ignored-children", "200"])]
fn cpu_of_the_whole_tree_counts(#[case] arguments: &[&str]) {
    for kind in kinds() {
        let sandbox = start(kind);
        let seen = run(&sandbox, &spec(arguments));
        assert_eq!(seen.report.end, End::Exited(0), "{kind:?}: {seen:?}");
        // Looking at /proc loses what happens after the last look at a process that nobody waits for.
        let least = if seen.report.measured.cpu == CpuSource::Polling { 150_000 } else { 199_000 };
        assert!((least..260_000 * patience()).contains(&seen.report.cpu_us), "{kind:?}: {seen:?}");
    }
}

#[test]
fn what_an_abandoned_process_burns_counts() {
    for kind in kinds() {
        let seen = run(&start(kind), &spec(&["busy-daemon", "200"]));
        assert!(seen.report.cpu_us >= 199_000, "{kind:?}: {seen:?}");
    }
}

#[test]
fn a_little_costs_a_little() {
    for kind in kinds() {
        let seen = run(&start(kind), &spec(&["true"]));
        assert!(seen.report.cpu_us < 20_000 * patience(), "{kind:?}: {seen:?}");
        assert!(seen.report.memory_bytes < 4 << 20, "{kind:?}: {seen:?}");
    }
}

#[test]
fn memory_is_what_is_used() {
    for kind in kinds() {
        let sandbox = start(kind);
        for megabytes in [10, 30, 20] {
            let seen = run(&sandbox, &spec(&["touch", &megabytes.to_string()]));
            assert_eq!(seen.report.end, End::Exited(0), "{kind:?}: {seen:?}");
            if seen.report.measured.memory == MemorySource::Polling {
                continue;
            }
            let used = seen.report.memory_bytes >> 10;
            let exact = megabytes * 1024;
            // The program itself and its page tables come on top; the kernel counts in portions.
            assert!((exact - exact / 100..exact + 1536).contains(&used), "{kind:?}: {seen:?}");
        }
        let seen = run(&sandbox, &spec(&["untouched"]));
        assert_eq!(seen.report.end, End::Exited(0), "{kind:?}: {seen:?}");
        assert!(seen.report.memory_bytes < 4 << 20, "{kind:?}: {seen:?}");
    }
}

/// Of what the kernel counts, where it counts: a millisecond of cpu time and a hundredth of memory.
#[test]
fn figures_are_exact() {
    for kind in kinds() {
        let sandbox = start(kind);
        let nothing = run(&sandbox, &spec(&["touch", "0"])).report;
        assert!(nothing.memory_bytes > 0, "{kind:?}: {nothing:?}");
        if nothing.measured.memory != MemorySource::Polling {
            let mut wanted = spec(&["touch", "100"]);
            wanted.limits.memory_bytes = 256 << 20;
            let used = run(&sandbox, &wanted).report.memory_bytes;
            let exact = 100 << 20;
            assert!((exact..exact + exact / 100 + (512 << 10)).contains(&used), "{kind:?}: {used}");
        }
        if nothing.measured.cpu != CpuSource::Polling && patience() == 1 {
            // The program prints what the kernel tells it about itself.
            let seen = run(&sandbox, &spec(&["burn-and-tell", "150"]));
            let told: u64 = seen.stdout.trim().parse().unwrap();
            let allowed = told..told + 1_000;
            assert!(allowed.contains(&seen.report.cpu_us), "{kind:?}: {told} told, {seen:?}");
        }
    }
}

#[test]
fn output_is_not_memory() {
    for kind in kinds() {
        let mut wanted = spec(&["write-exactly", "8000000"]);
        wanted.limits.memory_bytes = 6 << 20;
        let seen = run(&start(kind), &wanted);
        assert_eq!((seen.report.end, seen.report.killed), (End::Exited(0), None), "{kind:?}: {seen:?}");
        assert!(seen.report.memory_bytes < 4 << 20, "{kind:?}");
    }
}

#[test]
fn processes_are_counted() {
    for kind in kinds() {
        let mut wanted = spec(&["fork-bomb"]);
        wanted.limits.processes = 10;
        assert_prints(&run(&start(kind), &wanted), "9\n");
    }
}

#[test]
fn process_limits_are_set() {
    let mut wanted = spec(&["limits"]);
    wanted.limits.stack_bytes = 12 << 20;
    wanted.limits.open_files = 100;
    wanted.limits.written_bytes = 5000;
    wanted.limits.processes = 9;
    let expected = "core 0 0\nnofile 100 100\nstack 12582912 12582912\nfsize 5000 5000\nmemlock 0 0\nnproc 9 9\n";
    assert_prints(&run(&sandbox(), &wanted), expected);
}

#[test]
fn a_stack_overflow_is_hinted_at() {
    let sandbox = sandbox();
    let mut wanted = spec(&["overflow"]);
    // Far more than a helper built without optimisation weighs: without groups only the larger of the two is seen.
    wanted.limits.stack_bytes = 64 << 20;
    wanted.limits.memory_bytes = 256 << 20;
    let seen = run(&sandbox, &wanted);
    assert_eq!(seen.report.end, End::Signaled(11), "{seen:?}");
    assert!(seen.report.stack_overflow_hint, "{seen:?}");
    let seen = run(&sandbox, &RunSpec { argv: spec(&["segv"]).argv, ..wanted });
    assert!(!seen.report.stack_overflow_hint, "{seen:?}");
}

#[test]
fn a_program_has_its_slots_own_processor() {
    let all: Vec<usize> = SandboxConfig::default().cores;
    let line = |cores: &[usize]| cores.iter().map(|core| format!("{core} ")).collect::<Vec<_>>().concat();
    for kind in kinds() {
        let sandbox = Sandbox::start(config(kind, all.len())).unwrap();
        let asked = RunSpec { cores: Cores::OfSlot, ..spec(&["cores"]) };
        let printed = run(&sandbox, &asked).stdout;
        assert!(all.iter().any(|core| printed == line(&[*core])), "{kind:?}: {printed}");
        // Whoever isn't to have one, or whose sandbox has none to give, has them all.
        assert_eq!(run(&sandbox, &spec(&["cores"])).stdout, line(&all), "{kind:?}");
        let without = Sandbox::start(SandboxConfig { cores: Vec::new(), ..config(kind, 1) }).unwrap();
        assert_eq!(run(&without, &asked).stdout, line(&all), "{kind:?}");
        // A processor that isn't there is no reason not to run.
        let missing = Sandbox::start(SandboxConfig { cores: vec![1023], ..config(kind, 1) }).unwrap();
        assert_eq!(run(&missing, &asked).stdout, line(&all), "{kind:?}");
        // With one slot it is always the same, and what a program changes holds for itself alone.
        let last = *all.last().unwrap();
        let single = Sandbox::start(SandboxConfig { cores: vec![last], ..config(kind, 1) }).unwrap();
        for freshness in [Freshness::Fresh, Freshness::Wiped { tag: 1 }, Freshness::Wiped { tag: 1 }] {
            let changes = RunSpec { cores: Cores::OfSlot, freshness, ..spec(&["cores", "1"]) };
            assert_eq!(run(&single, &changes).stdout, line(&[last]), "{kind:?}");
        }
        // The second program of a pair has one too.
        let mut pair = single.run_pair(spec(&["cat"]), asked).unwrap();
        assert_eq!(text(&mut pair.second.stdout), line(&[last]), "{kind:?}");
    }
}
