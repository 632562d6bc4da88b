//! The rest of a request's body that nobody reads. A client that is cut off while it still sends never gets to the answer,
//! and a proxy makes "bad gateway" of it; so what comes is taken and thrown away, within bounds, while the answer is sent
//! already (RFC 9112, section 9.6). Must not know: routes.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Request, header};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

/// The most that is thrown away of one body, bytes; behind that the connection is closed.
const MOST_BYTES: u64 = 64 << 20;
/// The longest that it may take.
const MOST_TIME: Duration = Duration::from_secs(10);

/// The request with a body that is taken to its end, whoever lets go of it earlier. `patience`: how long a piece may take.
pub fn taken_to_the_end(request: Request<Incoming>, patience: Duration) -> Request<Body> {
    // Who asks first whether to send has not sent yet.
    let asks_first = request.headers().contains_key(header::EXPECT);
    request.map(|body| if asks_first { Body::new(body) } else { Body::new(Taken { body: Some(body), patience }) })
}

struct Taken {
    /// `None` when it has ended.
    body: Option<Incoming>,
    patience: Duration,
}

impl HttpBody for Taken {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = Pin::new(body).poll_frame(context);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(MOST_TIME, throw_away(body, self.patience)));
        }
    }
}

async fn throw_away(mut body: Incoming, patience: Duration) {
    let mut thrown = 0;
    while thrown <= MOST_BYTES {
        let piece = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let Ok(Some(Ok(frame))) = tokio::time::timeout(patience, piece).await else { return };
        thrown += frame.data_ref().map_or(0, |data| data.len() as u64);
    }
}
