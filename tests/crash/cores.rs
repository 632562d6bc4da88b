//! Which processors the programs of a real server run on while two are judged at once.

use std::collections::BTreeSet;

use crate::faults::{DONE, GO_ON, patient, submit};
use crate::folder::Folder;
use crate::server::Server;
use crate::waiting::{LOOK_EVERY, WAIT, status, tell, waiting};

/// The processors that a process or thread may use: `0-2,5` of `/proc/PID/status`.
fn cores_of(task: &str) -> Vec<usize> {
    let text = std::fs::read_to_string(format!("/proc/{task}/status")).unwrap();
    let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    let span = |part: &str| {
        let (from, to) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        from.parse().unwrap()..=to.parse::<usize>().unwrap()
    };
    list.trim().split(',').flat_map(span).collect()
}

/// Two people hand in; so many programs run at once. Which processors each may use.
async fn cores_of_programs(arguments: &[&str], at_once: usize) -> Vec<Vec<usize>> {
    let folder = Folder::new(2).await;
    let mut server = Server::spawn_with(folder.path(), arguments);
    let address = server.address().await.expect("the server ended");
    folder.ready().await;
    for token in &folder.tokens {
        submit(&address, token, &patient()).await;
    }
    let id = server.id();
    let mut looks = tokio::time::interval(LOOK_EVERY);
    let run = async {
        while waiting(id, GO_ON).len() < at_once {
            looks.tick().await;
        }
    };
    tokio::time::timeout(WAIT, run).await.unwrap_or_else(|_| panic!("they don't run; the log: {}", folder.log()));
    let programs = waiting(id, GO_ON);
    assert_eq!(programs.len(), at_once, "{arguments:?}");
    let found = programs.iter().map(|pid| cores_of(&pid.to_string())).collect();
    // What is pinned is programs, and nothing of the server itself.
    for thread in std::fs::read_dir(format!("/proc/{id}/task")).unwrap() {
        let thread = thread.unwrap().file_name();
        let own = cores_of(&format!("{id}/task/{}", thread.to_str().unwrap()));
        assert_eq!(own, cores_of("self"), "a thread of the server, {}", status(id, "Name").unwrap_or_default());
    }
    folder.until_doing("both verdicts", DONE, 2, || tell(id, GO_ON)).await;
    assert!(server.terminate().success());
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_judged_at_once_have_cores_of_their_own() {
    let all = cores_of("self");
    // In turn; only where there are fewer than workers do two share one.
    let wanted: BTreeSet<usize> = (0..2).map(|turn| all[turn % all.len()]).collect();
    let found = cores_of_programs(&["--workers", "2"], 2).await;
    assert!(found.iter().all(|cores| cores.len() == 1), "each has one: {found:?}");
    assert_eq!(found.concat().into_iter().collect::<BTreeSet<_>>(), wanted, "and each another: {found:?}");
    // One worker's programs keep to one, and the other processors are the server's and the compilers'.
    assert_eq!(cores_of_programs(&["--workers", "1"], 1).await, [vec![all[0]]]);
    // Without pinning all are theirs.
    assert_eq!(cores_of_programs(&["--workers", "2", "--no-pinning"], 2).await, [all.clone(), all]);
}
