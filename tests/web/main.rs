//! The web room through its router, without a socket.

mod words;
mod world;

#[tokio::test]
#[ignore]
async fn serve() {
    let app = world::TestApp::new().await;
    let l = tokio::net::TcpListener::bind("127.0.0.1:18123").await.unwrap();
    axum::serve(l, app.router.clone()).await.unwrap();
}
