//! Clients that begin to say something and never end: the server lets go of them.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use touchstone::web::listen::{self, Patience};
use touchstone::web::router;

use crate::world::TestApp;

/// Says this much, and returns all that the server answers until it closes the connection.
async fn answer_to(address: std::net::SocketAddr, said: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(said.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // It is the server that ends this; a server that never does fails the test.
    let _ = tokio::time::timeout(Duration::from_mins(1), stream.read_to_end(&mut answer)).await.expect("it hangs on");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn half_a_request_does_not_hold_a_connection() {
    let app = TestApp::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let patience = Patience { headers: Duration::from_millis(200), body: Duration::from_millis(200) };
    let server = tokio::spawn(listen::serve(listener, router(app.state.clone()), patience, async {
        let _ = stopped.await;
    }));
    for (said, status) in [
        ("", ""),
        ("GET / HT", ""),
        ("GET / HTTP/1.1\r\nhost: judge\r\nx-slow: ", ""),
        (
            "POST /login HTTP/1.1\r\nhost: judge\r\ncontent-type: application/x-www-form-urlencoded\r\n\
             content-length: 100\r\n\r\nname=a",
            "HTTP/1.1 4",
        ),
    ] {
        let answer = answer_to(address, said).await;
        assert!(answer.starts_with(status), "{said:?} got {answer:?}");
        assert!(!answer.starts_with("HTTP/1.1 2"), "{said:?} got {answer:?}");
    }
    // A whole request is answered as ever, and the stop waits for nobody.
    let whole = answer_to(address, "GET /login HTTP/1.1\r\nhost: judge\r\nconnection: close\r\n\r\n").await;
    assert!(whole.starts_with("HTTP/1.1 200"), "{whole}");
    stop.send(()).unwrap();
    server.await.unwrap();
}

/// 16 MB, of which a form may have one: more than lies in any buffer between the two.
#[tokio::test]
async fn a_client_whose_body_is_too_large_may_end_its_sentence_and_gets_the_answer() {
    let app = TestApp::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(listen::serve(listener, router(app.state.clone()), Patience::default(), async {
        let _ = stopped.await;
    }));
    let large = vec![b'a'; 16 << 20];
    for path in ["/clarifications", "/api/v4/contests/practice/submissions", "/nosuch"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: judge\r\ncontent-type: application/x-www-form-urlencoded\r\n\
             content-length: {}\r\n\r\n",
            large.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&large).await.unwrap_or_else(|error| panic!("{path}: cut off while it sends: {error}"));
        // The connection is good for another request.
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: judge\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answers = String::new();
        let reading = tokio::time::timeout(Duration::from_mins(1), stream.read_to_string(&mut answers));
        reading.await.expect("it hangs on").unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(answers.starts_with("HTTP/1.1 4"), "{path}: {answers}");
        assert!(answers.ends_with("ok\n"), "{path}: {answers}");
    }
    stop.send(()).unwrap();
    server.await.unwrap();
}
