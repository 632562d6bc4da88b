//! The files of a problem that everybody may have: its samples as an archive, their pictures, the pictures of its
//! statements. Must not know: secret tests.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::problem::find;
use crate::domain::picture::Picture;
use crate::store::package::{self, StatementFormat};
use crate::store::{blob, picture, test_case};
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::state::AppState;
use crate::web::view::archive::{self, Entry};

/// The samples, whole, and the statements as they were written.
pub async fn samples(
    State(state): State<AppState>,
    visit: Visit,
    Path(slug): Path<String>,
) -> Result<Response, WebError> {
    let found = find(&state, &visit, &slug).await?;
    let mut entries = Vec::new();
    for statement in &found.statements {
        let ending = match statement.format {
            StatementFormat::Markdown => "md",
            StatementFormat::Tex => "tex",
            StatementFormat::Pdf => "pdf",
        };
        let name = format!("{}/problem.{}.{ending}", found.slug, statement.language);
        entries.push(Entry { name, contents: blob::read(state.store().read(), statement.sha256).await? });
    }
    for (sample, number) in test_case::samples(state.store().read(), found.test_set_id).await?.into_iter().zip(1..) {
        entries.push(Entry { name: format!("{}/{number}.in", found.slug), contents: sample.input });
        entries.push(Entry { name: format!("{}/{number}.ans", found.slug), contents: sample.answer });
    }
    let kind = HeaderValue::from_static("application/zip");
    // A slug is plain ASCII.
    let name =
        HeaderValue::from_str(&format!("attachment; filename=\"{}.zip\"", found.slug)).map_err(WebError::internal)?;
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, archive::zip(&entries)).into_response())
}

/// The picture of a sample's input, moving or still. It was made safe before it was stored, and is again here: a browser
/// that opens it by its own address runs whatever stands in it.
pub async fn sample_picture(
    State(state): State<AppState>,
    visit: Visit,
    Path((slug, name)): Path<(String, String)>,
) -> Result<Response, WebError> {
    let missing = || WebError::not_found(Message::new("error-no-page"), Next::problems());
    let found = find(&state, &visit, &slug).await?;
    let (number, still) = match name.strip_suffix("-still") {
        Some(number) => (number, true),
        None => (name.as_str(), false),
    };
    let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).ok_or_else(missing)?;
    let pictures = picture::of_samples(state.store().read(), found.package_id, found.test_set_id).await?;
    let svg = pictures.into_iter().nth(index).flatten().ok_or_else(missing)?;
    let picture = Picture::parse(&svg).map_err(WebError::internal)?;
    let svg = if still { picture.still() } else { picture.moving() };
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"))], svg).into_response())
}

/// A picture beside a statement. Only pictures, only from the statements' folders: nothing else of a package is public.
pub async fn picture(
    State(state): State<AppState>,
    visit: Visit,
    Path((slug, path)): Path<(String, String)>,
) -> Result<Response, WebError> {
    let found = find(&state, &visit, &slug).await?;
    let missing = || WebError::not_found(Message::new("error-no-page"), Next::problems());
    let kind = match path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("svg") => "image/svg+xml",
        _ => return Err(missing()),
    };
    let beside = found.statements.iter().any(|statement| {
        statement
            .path
            .rsplit_once('/')
            .is_some_and(|(folder, _)| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    });
    let files = package::files(state.store().read(), found.package_id).await?;
    let file = files.into_iter().find(|file| beside && file.path == path).ok_or_else(missing)?;
    let contents = blob::read(state.store().read(), file.sha256).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], contents).into_response())
}
