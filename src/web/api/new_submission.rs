//! A submission as clients send it: DOMjudge's form with `code[]`, or CLICS's JSON with a zip file in base64. Must not
//! know: how it is handed in.

use axum::Json;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

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

/// CLICS submission as it is posted.
#[derive(Deserialize)]
struct Posted {
    /// `problem_id`; `problem` is DOMjudge's name for it.
    #[serde(alias = "problem")]
    problem_id: String,
    /// `language_id`; `language` is DOMjudge's name for it.
    #[serde(alias = "language", default)]
    language_id: String,
    /// `entry_point`.
    #[serde(default)]
    entry_point: Option<String>,
    /// `team_id`.
    #[serde(default)]
    team_id: Option<String>,
    /// `id`.
    #[serde(default)]
    id: Option<String>,
    /// `time`.
    #[serde(default)]
    time: Option<String>,
    /// `files`: one zip file.
    files: Vec<Data>,
}

/// CLICS file reference that carries its contents.
#[derive(Deserialize)]
struct Data {
    /// `data`: base64.
    data: String,
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
            let posted = Json::<Posted>::from_request(request, state).await;
            let Json(posted) = posted.map_err(|error| ApiError::new(error.status(), error.body_text()))?;
            return from_json(posted);
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

fn from_json(posted: Posted) -> Result<Incoming, ApiError> {
    let [file] = posted.files.as_slice() else {
        return Err(ApiError::bad("`files` holds one zip file in base64"));
    };
    let zip = BASE64_STANDARD.decode(file.data.trim()).map_err(|_| ApiError::bad("`files[0].data` is not base64"))?;
    Ok(Incoming {
        files: source_zip::read(&zip)?,
        problem: posted.problem_id,
        language: posted.language_id,
        entry_point: posted.entry_point,
        team: posted.team_id,
        dictated: posted.id.is_some() || posted.time.is_some(),
    })
}
