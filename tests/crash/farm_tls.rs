//! NATS behind TLS with a certificate of an authority of one's own, and nkeys: as docs/operating.md says it.

use std::path::Path;
use std::process::Command;

use crate::farm::STORE_BYTES;
use crate::farm_trust::{guarded, keys_with};
use crate::folder::Folder;
use crate::server::Server;
use crate::staff::Staff;
use crate::worker::Worker;

fn openssl(folder: &Path, arguments: &str) {
    let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output();
    let made = made.expect("openssl can't be started; apt-get install openssl");
    assert!(made.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&made.stderr));
}

/// An authority, `NAME.pem`, and a certificate of it for this machine, `NAME-cert.pem` and `NAME-key.pem`.
fn certify(folder: &Path, name: &str) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(folder, &format!("req -x509 {key} -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem"));
    openssl(folder, &format!("req {key} -subj /CN=nats -keyout {name}-key.pem -out {name}.req"));
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    let sign = format!("x509 -req -in {name}.req -CA {name}.pem -CAkey {name}.key -CAcreateserial -days 2");
    openssl(folder, &format!("{sign} -extfile names -out {name}-cert.pem"));
}

#[tokio::test(flavor = "multi_thread")]
async fn server_and_worker_meet_over_tls_and_trust_only_the_named_authority() {
    let folder = Folder::new(0).await;
    let token = folder.staff().await;
    let at = |name: &str| folder.path().join(name).display().to_string();
    certify(folder.path(), "ours");
    certify(folder.path(), "theirs");
    let tls = ["--tls-cert", &at("ours-cert.pem"), "--tls-key", &at("ours-key.pem")];
    let keys = keys_with(&folder, &["one"], &tls);
    let nats = guarded(&keys);
    let (url, ours, theirs) = (nats.tls_url(), at("ours.pem"), at("theirs.pem"));
    let creds = |name: &str| keys.join(format!("{name}.creds")).display().to_string();
    let server_creds = creds("server");
    let serve = |authority: &str| {
        let arguments = ["--nats", &url, "--nats-creds", &server_creds, "--nats-ca", authority];
        let more = ["--nats-store", STORE_BYTES, "--no-embedded-worker"];
        Server::spawn_with(folder.path(), &[arguments.as_slice(), &more].concat())
    };

    let mut server = serve(&theirs);
    let staff = Staff::new(&server.address().await.expect("the server ended"), token.clone());
    staff.is_told(Some("can't be trusted")).await;
    assert!(folder.whole_log().contains("can't be trusted"), "{}", folder.log());
    assert!(server.terminate().success());

    let mut server = serve(&ours);
    let staff = Staff::new(&server.address().await.expect("the server ended"), token);
    let one = creds("one");
    let deceived = Worker::start_with(&folder, &url, "one", &["--creds", &one, "--nats-ca", &theirs]);
    deceived.says("can't be trusted").await;
    assert!(deceived.terminate().success());
    // All that a worker does goes through: contents there, made tests back.
    let worker = Worker::start_with(&folder, &url, "one", &["--creds", &one, "--nats-ca", &ours]);
    folder.ready().await;
    staff.is_told(None).await;
    assert!(worker.terminate().success());
    assert!(server.terminate().success());
}
