//! The listening socket: connections, how long a client may take to say what it wants, and the stop.
//!
//! Owns: every bound that holds before a handler sees a request. Must not know: routes, pages, who anybody is.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::ServiceExt as _;
use tower_http::timeout::RequestBodyTimeoutLayer;

use super::unread::taken_to_the_end;

/// Connections at the same time; more than that wait in the kernel's queue until one ends.
const CONNECTIONS: usize = 8_192;
/// Rest after the kernel refused a connection: usually this process has too many files open.
const REST_AFTER_REFUSAL: Duration = Duration::from_millis(200);

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// From the connection, or the end of the last answer, to the end of a request's headers.
    pub headers: Duration,
    /// Between two pieces of a request's body.
    pub body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { headers: Duration::from_secs(30), body: Duration::from_secs(30) }
    }
}

/// Answers until `stop` is done; then takes nothing new, and returns when everything that was begun is answered.
pub async fn serve(listener: TcpListener, site: Router, patience: Patience, stop: impl Future<Output = ()>) {
    let site = site.layer(RequestBodyTimeoutLayer::new(patience.body));
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.headers);
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            () = &mut stop => break,
        };
        let Some((stream, peer, place)) = accepted else {
            tokio::select! {
                () = tokio::time::sleep(REST_AFTER_REFUSAL) => continue,
                () = &mut stop => break,
            }
        };
        let site = site.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = taken_to_the_end(request, patience.body);
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
            site.clone().oneshot(request)
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A client that goes away or is too slow is no error of ours.
            if let Err(error) = connection.await {
                tracing::debug!(%peer, %error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

type Accepted = (tokio::net::TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection, once there is room for it; `None` when the kernel has none for now.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<Accepted> {
    let place = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Pages are written in one piece; waiting for more only delays live news.
            let _ = stream.set_nodelay(true);
            Some((stream, peer, place))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be taken");
            None
        }
    }
}
