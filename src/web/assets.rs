//! Static files, embedded in the binary. Owns: their addresses, which carry a part of the content's hash, so that a
//! browser may keep them for ever. Must not know: pages, sessions.

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::domain::hash::Sha256;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/static"]
struct StaticFiles;

/// The address of a file of `static/`: `css/x.css` becomes `/static/css/x.<hash>.css`. An unknown file keeps its name,
/// which a test finds as a 404.
pub fn address(path: &str) -> String {
    match (StaticFiles::get(path), path.rsplit_once('.')) {
        (Some(file), Some((stem, extension))) => format!("/static/{stem}.{}.{extension}", tag(&file)),
        _ => format!("/static/{path}"),
    }
}

/// A static file as text; `None` when there is none.
pub fn text(path: &str) -> Option<String> {
    StaticFiles::get(path).map(|file| String::from_utf8_lossy(&file.data).into_owned())
}

/// Serves `/static/{*path}`.
pub async fn serve(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let Some((plain, asked)) = split_tag(&path) else { return StatusCode::NOT_FOUND.into_response() };
    let Some(file) = StaticFiles::get(&plain) else { return StatusCode::NOT_FOUND.into_response() };
    let tag = tag(&file);
    let etag = format!("\"{tag}\"");
    // An address of another version still gets the file, but may not be kept under that name.
    let caching = if asked == tag { "public, max-age=31536000, immutable" } else { "no-cache" };
    let kept = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let mut response =
        if kept { StatusCode::NOT_MODIFIED.into_response() } else { file.data.into_owned().into_response() };
    let kind = mime_guess::from_path(&plain).first_or_octet_stream();
    let out = response.headers_mut();
    for (name, value) in
        [(header::CONTENT_TYPE, kind.as_ref()), (header::CACHE_CONTROL, caching), (header::ETAG, etag.as_str())]
    {
        if let Ok(value) = HeaderValue::from_str(value) {
            out.insert(name, value);
        }
    }
    response
}

/// `css/x.0123456789ab.css` as (`css/x.css`, `0123456789ab`).
fn split_tag(path: &str) -> Option<(String, &str)> {
    let (rest, extension) = path.rsplit_once('.')?;
    let (stem, tag) = rest.rsplit_once('.')?;
    Some((format!("{stem}.{extension}"), tag))
}

fn tag(file: &rust_embed::EmbeddedFile) -> String {
    Sha256::from_bytes(file.metadata.sha256_hash()).short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_carries_the_hash_and_comes_back() {
        let address = address("css/touchstone.css");
        let path = address.strip_prefix("/static/").unwrap();
        let (plain, tag) = split_tag(path).unwrap();
        assert_eq!(plain, "css/touchstone.css");
        assert_eq!(tag.len(), 12);
    }
}
