//! Standard streams, work files, and files read back.

use std::sync::Arc;

use touchstone::sandbox::{Collect, End, Freshness, KillReason, RunSpec, Stdin};

use crate::harness::*;

#[test]
fn both_outputs_arrive() {
    let seen = run(&sandbox(), &spec(&["hello"]));
    assert_prints(&seen, "hello\n");
    assert_eq!(seen.stderr, "world\n");
}

#[test]
fn standard_input_is_read_from_its_start_every_time() {
    let sandbox = sandbox();
    let input = file(b"some input\n");
    for stdin in [Stdin::File(input.clone()), Stdin::File(input), Stdin::Bytes(Arc::new(b"some input\n".to_vec()))] {
        for program in ["cat", "cat-by-name"] {
            let seen = run(&sandbox, &RunSpec { stdin: stdin.clone(), ..spec(&[program]) });
            assert_prints(&seen, "some input\n");
        }
    }
    assert_prints(&run(&sandbox, &spec(&["cat"])), "");
}

#[test]
fn a_large_input_that_nobody_reads_does_no_harm() {
    let sandbox = sandbox();
    let stdin = Stdin::Bytes(Arc::new(vec![b'x'; 4 << 20]));
    for program in ["true", "close-stdin"] {
        let seen = run(&sandbox, &RunSpec { stdin: stdin.clone(), ..spec(&[program]) });
        assert_prints(&seen, "");
    }
}

#[test]
fn a_large_input_comes_out_as_it_went_in() {
    let text = "0123456789abcde\n".repeat(1 << 16);
    let stdin = Stdin::Bytes(Arc::new(text.clone().into_bytes()));
    let seen = run(&sandbox(), &RunSpec { stdin, ..spec(&["cat"]) });
    assert_prints(&seen, &text);
}

#[test]
fn standard_output_may_be_opened_by_name() {
    assert_prints(&run(&sandbox(), &spec(&["write-by-name"])), "by name\n");
}

#[test]
fn the_output_limit_holds_to_the_byte() {
    let sandbox = sandbox();
    let limited = |bytes: &str| {
        let mut wanted = spec(&["write-exactly", bytes]);
        wanted.limits.stdout_bytes = 1000;
        run(&sandbox, &wanted)
    };
    let seen = limited("1000");
    assert_eq!((seen.report.end, seen.report.killed), (End::Exited(0), None), "{seen:?}");
    assert!(!seen.report.stdout.truncated);
    let seen = limited("1001");
    assert_eq!(seen.report.killed, Some(KillReason::Output), "{seen:?}");
    assert_eq!((seen.report.stdout.len, seen.report.stdout.truncated), (1000, true));
}

#[test]
fn a_flood_of_errors_is_cut_and_does_no_harm() {
    let mut wanted = spec(&["flood-stderr", "10000"]);
    wanted.limits.stderr_bytes = 100;
    let seen = run(&sandbox(), &wanted);
    assert_prints(&seen, "still here\n");
    assert_eq!((seen.stderr.len(), seen.report.stderr.truncated), (100, true));
}

#[test]
fn work_files_are_there_and_belong_to_the_program() {
    let sandbox = sandbox();
    let work_files = vec![("a.txt".to_owned(), b"one".to_vec().into()), ("-b".to_owned(), Vec::new().into())];
    let wanted = RunSpec { work_files, ..spec(&["read", "/w/a.txt"]) };
    assert_prints(&run(&sandbox, &wanted), "one");
    let argv = spec(&["list", "/w"]).argv;
    let mut names: Vec<_> = run(&sandbox, &RunSpec { argv, ..wanted }).stdout.lines().map(str::to_owned).collect();
    names.sort();
    assert_eq!(names, ["-b", "a.txt"]);
}

#[test]
fn files_are_read_back_but_never_through_links() {
    let sandbox = sandbox();
    let collect = |path: &str| Collect { path: path.into(), max_bytes: 10_000 };
    let wanted = RunSpec {
        collect: vec![
            collect("out"),
            collect("link"),
            collect("fifo"),
            collect("missing"),
            collect("large"),
            collect("../etc/passwd"),
        ],
        ..spec(&["outputs"])
    };
    let check = |seen: Seen| {
        let files = &seen.report.files;
        let names: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["large", "out"]);
        assert_eq!((files[0].contents.as_deref(), files[0].len, files[0].executable), (None, 100_000, false));
        assert_eq!((files[1].contents.as_deref(), files[1].executable), (Some(&b"result"[..]), true));
    };
    check(run(&sandbox, &wanted));
    check(run(&sandbox, &RunSpec { collect: vec![collect("*")], freshness: Freshness::Wiped { tag: 1 }, ..wanted }));
}
