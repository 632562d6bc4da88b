//! A problem's limit is measured on each kind of machine, by the package's own programs, before one of the kind judges it.

use serde_json::json;

use crate::farm::serve;
use crate::faults::submit;
use crate::folder::{Folder, LANGUAGES, with_time_limit};
use crate::nats::Nats;
use crate::staff::Staff;
use crate::worker::Worker;

/// A machine on which every Python program takes six tenths of a second more.
fn slow() -> String {
    let start = r#""-B", "-c", "import runpy, time\nwhile time.process_time() < 0.6: pass\nrunpy.run_path('/box/main.py', run_name='__main__')"]"#;
    let slow = LANGUAGES.replace(r#""-B", "/box/{main}"]"#, start);
    assert_ne!(slow, LANGUAGES);
    slow
}

/// A machine that is as fast as the server, and yet of another kind: it starts programs in another way.
fn other() -> String {
    let other = LANGUAGES.replace(r#""-I", "-S", "-B","#, r#""-I", "-S", "-B", "-u","#);
    assert_ne!(other, LANGUAGES);
    other
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_of_machine_judges_what_its_own_measurements_allow() {
    let yaml = with_time_limit(1);
    let (folder, nats) = (Folder::with(1, &[("problem.yaml", &yaml)]).await, Nats::start());
    let token = folder.staff().await;
    let mut server = serve(&folder, &nats.url());
    let address = server.address().await.expect("the server ended");
    let staff = Staff::new(&address, token);
    // Verified by a machine of the server's own kind, which needs no other measuring.
    let first = Worker::start(&folder, &nats.url(), "first");
    folder.ready().await;
    assert!(first.terminate().success());
    assert_eq!(folder.count("select count(*) from host_fit where state = 'fits'").await, 1);

    submit(&address, &folder.tokens[0], "print(sum(map(int, input().split())))").await;
    let slow = Worker::start_with_languages(&folder, &nats.url(), "slow", &slow());
    folder.until("the measuring", "select count(*) from host_fit where state = 'too_slow'", 1).await;
    let measured = "select count(*) from verification v join host_fit h on h.verification_id = v.id
        join job q on q.verification_id = v.id
        where v.of_kind = h.kind and v.decides = 0 and v.report is not null and q.worker = 'slow/1' and h.limit_ms = 1000
            and h.least_ms >= 1200";
    assert_eq!(folder.count(measured).await, 1, "its references ran there");
    let left_out = staff.machine("slow").await["left_out_of"].clone();
    assert_eq!((&left_out[0]["problem"], &left_out[0]["state"]), (&json!("sum"), &json!("too_slow")), "{left_out}");
    assert_eq!(folder.count("select count(*) from judgement where state = 'queued'").await, 1, "it waits for another");

    let other = Worker::start_with_languages(&folder, &nats.url(), "other", &other());
    folder.until("the verdict", "select count(*) from judgement where verdict = 'AC'", 1).await;
    let by_other =
        "select count(*) from job where state = 'done' and worker = 'other/1' and kind in ('judge', 'verify')";
    assert_eq!(folder.count(by_other).await, 2, "it measured, and then it judged");
    assert_eq!(staff.machine("other").await["left_out_of"], json!([]));
    assert_eq!(
        folder.count("select count(*) from problem where state = 'published'").await,
        1,
        "the problem stays as it is"
    );
    for worker in [slow, other] {
        assert!(worker.terminate().success());
    }
    assert!(server.terminate().success());
}
