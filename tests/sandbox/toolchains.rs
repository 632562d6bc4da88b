//! Compilers and runtimes work inside as they do outside.

use std::path::Path;
use std::sync::Arc;

use touchstone::sandbox::{Bind, Collect, RunSpec};

use crate::harness::*;

/// A run with the limits of a compiler or a managed runtime.
fn tool(argv: &[&str], source: (&str, &str)) -> RunSpec {
    let mut wanted = spec(&[]);
    wanted.argv = argv.iter().map(|&text| text.to_owned()).collect();
    wanted.env = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    wanted.work_files = vec![(source.0.to_owned(), source.1.as_bytes().to_vec().into())];
    wanted.limits.cpu_ms = 30_000;
    wanted.limits.wall_ms = 60_000;
    wanted.limits.memory_bytes = 1 << 30;
    wanted.limits.written_bytes = 64 << 20;
    wanted
}

#[test]
fn gcc_compiles_and_its_output_runs() {
    let sandbox = sandbox();
    let source = ("main.c", "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 0; }\n");
    let mut wanted = tool(&["/usr/bin/gcc", "-O2", "-pipe", "-o", "/w/main", "/w/main.c"], source);
    wanted.collect = vec![Collect { path: "main".to_owned(), max_bytes: 16 << 20 }];
    let seen = run(&sandbox, &wanted);
    assert_prints(&seen, "");
    let [file] = &seen.report.files[..] else { panic!("{seen:?}") };
    assert!(file.executable);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main"), file.contents.as_ref().unwrap()).unwrap();
    for path in [folder.path().to_owned(), folder.path().join("main")] {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut wanted = spec(&[]);
    wanted.argv = vec!["/box/main".to_owned()];
    wanted.program_dir = Some(folder.path().to_owned());
    assert_prints(&run(&sandbox, &wanted), "compiled\n");
}

#[test]
fn java_runs_a_source_file() {
    assert!(Path::new("/usr/bin/java").exists(), "a JDK is installed");
    let source = ("Main.java", "class Main { public static void main(String[] a) { System.out.println(6 * 7); } }\n");
    let mut wanted = tool(&["/usr/bin/java", "-Xshare:auto", "/w/Main.java"], source);
    let configuration = std::fs::read_dir("/etc").unwrap().flatten();
    let configuration = configuration.filter(|entry| entry.file_name().to_string_lossy().starts_with("java-"));
    wanted.binds =
        configuration.map(|entry| Bind { source: entry.path(), target: entry.path(), exec: false }).collect();
    assert_prints(&run(&sandbox(), &wanted), "42\n");
}

#[test]
fn node_runs_a_script_that_reads_by_name() {
    assert!(Path::new("/usr/bin/node").exists(), "node is installed");
    let source = ("main.js", "console.log(require('fs').readFileSync('/dev/stdin', 'utf8').length)\n");
    let mut wanted = tool(&["/usr/bin/node", "/w/main.js"], source);
    wanted.stdin = touchstone::sandbox::Stdin::Bytes(Arc::new(b"12345".to_vec()));
    assert_prints(&run(&sandbox(), &wanted), "5\n");
}
