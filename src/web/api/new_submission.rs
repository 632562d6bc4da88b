//! A submission as clients send it: DOMjudge's form with `code[]`, or CLICS's JSON with a zip file in base64. Must not
//! know: how it is handed in.

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use super::{ApiError, source_zip};
use crate::domain::source::MAX_SOURCE_FILES;
use crate::web::state::AppState;

/// What came in, unchecked.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    /// The problem, by id or label.
    pub problem: String,
    /// The language, by id, name or file name ending; empty: it is found out from the first file.
    pub language: String,
    /// The main class or file.
    pub entry_point: Option<String>,
    /// For whom; a team may only name itself.
    pub team: Option<String>,
    /// Whether an id or a time came along, which only a judge's tool sets.
    pub dictated: bool,
    /// Names and contents.
    pub files: Vec<(String, Vec<u8>)>,
}

impl FromRequest<AppState> for Incoming {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("multipart/form-data") {
            let form = Multipart::from_request(request, state).await;
            return from_form(form.map_err(|error| ApiError::new(error.status(), error.body_text()))?).await;
        }
        if kind.starts_with("application/json") {
            let body = Bytes::from_request(request, state).await;
            let body = body.map_err(|error| ApiError::new(error.status(), error.body_text()))?;
            return from_json(&body);
        }
        Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send multipart/form-data or application/json"))
    }
}

async fn from_form(mut form: Multipart) -> Result<Incoming, ApiError> {
    let broken = |error: axum::extract::multipart::MultipartError| ApiError::new(error.status(), error.body_text());
    let mut incoming = Incoming::default();
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        let file_name = field.file_name().map(str::to_owned);
        let contents = field.bytes().await.map_err(broken)?;
        // `code[]`, `code[0]`, `code`.
        if name.split('[').next() == Some("code") {
            if incoming.files.len() == MAX_SOURCE_FILES {
                return Err(ApiError::bad(format!("a submission has at most {MAX_SOURCE_FILES} files")));
            }
            incoming.files.push((file_name.unwrap_or_default(), contents.to_vec()));
            continue;
        }
        let text = String::from_utf8_lossy(&contents).trim().to_owned();
        match name.as_str() {
            "problem" | "problem_id" => incoming.problem = text,
            "language" | "language_id" => incoming.language = text,
            "entry_point" => incoming.entry_point = Some(text),
            "team" | "team_id" => incoming.team = Some(text),
            "id" | "time" => incoming.dictated = true,
            _ => {}
        }
    }
    Ok(incoming)
}

/// CLICS's submission: `problem_id`, `files`; `language_id`, `entry_point`, `team_id`. DOMjudge calls the first of them
/// `problem` and `language`.
fn from_json(body: &[u8]) -> Result<Incoming, ApiError> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| ApiError::bad(format!("the body is no JSON: {error}")))?;
    let Value::Object(posted) = body else { return Err(ApiError::bad("the body is not a JSON object")) };
    let required = |name: &str, other: &str| {
        let text = text(&posted, name)?.map_or_else(|| text(&posted, other), |text| Ok(Some(text)))?;
        text.ok_or_else(|| ApiError::bad(format!("`{name}` is missing")))
    };
    let problem = required("problem_id", "problem")?;
    let files = match posted.get("files") {
        None | Some(Value::Null) => return Err(ApiError::bad("`files` is missing: one zip file in base64")),
        Some(Value::Array(files)) => files.as_slice(),
        Some(_) => return Err(ApiError::bad("`files` is not a list")),
    };
    let [file] = files else { return Err(ApiError::bad("`files` holds one zip file in base64")) };
    let data = match file.get("data") {
        Some(Value::String(data)) => data,
        None => return Err(ApiError::bad("`files[0].data` is missing: the zip file in base64")),
        Some(_) => return Err(ApiError::bad("`files[0].data` is not a text")),
    };
    let zip = BASE64_STANDARD.decode(data.trim()).map_err(|_| ApiError::bad("`files[0].data` is not base64"))?;
    let dictated = ["id", "time"].iter().any(|name| posted.get(*name).is_some_and(|value| !value.is_null()));
    Ok(Incoming {
        problem,
        language: text(&posted, "language_id")?.or(text(&posted, "language")?).unwrap_or_default(),
        entry_point: text(&posted, "entry_point")?,
        team: text(&posted, "team_id")?,
        dictated,
        files: source_zip::read(&zip)?,
    })
}

/// A field's text; `None` where it isn't there or null.
fn text(posted: &Map<String, Value>, name: &str) -> Result<Option<String>, ApiError> {
    match posted.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ApiError::bad(format!("`{name}` is not a text"))),
    }
}
