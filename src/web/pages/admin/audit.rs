//! `/admin/log`: who did what, when, from where, and how it was before; with filters, and as CSV or JSON lines. Must not
//! know: who writes it.

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use crate::domain::account::Role;
use crate::domain::time::EpochMs;
use crate::service::people::ActsError;
use crate::store::audit::{self, Act, ActFilter};
use crate::web::error::{Next, WebError};
use crate::web::extract::Visit;
use crate::web::i18n::Message;
use crate::web::pages::Page;
use crate::web::state::AppState;
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};

/// Rows a page.
const ROWS: u32 = 50;
/// Acts that are read at once for an export.
const AT_ONCE: u32 = 1_000;
/// What a page shows of a text; the export has all of it.
const SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "pages/admin/log.html")]
struct LogPage {
    frame: Frame,
    asked: Asked,
    kinds: Vec<KindChoice>,
    acts: Vec<ActLine>,
    filtered: bool,
    newest: String,
    older: Option<String>,
    /// The addresses of the files with all that fits.
    csv: String,
    json_lines: String,
}

struct KindChoice {
    act: String,
    selected: bool,
}

/// An act as pages show it.
pub(super) struct ActLine {
    /// Who; `None` is the command line.
    pub actor: Option<String>,
    /// What.
    pub act: String,
    /// To what.
    pub subject: String,
    /// How it was.
    pub before: Option<String>,
    /// How it is.
    pub after: Option<String>,
    /// From where.
    pub address: Option<String>,
    /// When.
    pub at: EpochMs,
}

impl From<Act> for ActLine {
    fn from(act: Act) -> Self {
        let cut = |text: Option<String>| {
            text.map(|text| match text.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            })
        };
        Self {
            actor: act.actor,
            act: act.act,
            subject: act.subject,
            before: cut(act.before),
            after: cut(act.after),
            address: act.address,
            at: act.at,
        }
    }
}

/// The filter as it stands in the address.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Asked {
    actor: String,
    terminal: String,
    act: String,
    subject: String,
    from: String,
    until: String,
    before: String,
    format: String,
}

impl Asked {
    fn filter(&self) -> Result<ActFilter, WebError> {
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let moment = |text: &str| match some(text) {
            Some(text) => format::moment(&text).map(Some).ok_or_else(|| unreadable(&text)),
            None => Ok(None),
        };
        let terminal = (!self.terminal.is_empty()).then(String::new);
        Ok(ActFilter {
            actor: terminal.or_else(|| some(&self.actor)),
            act: some(&self.act),
            subject: some(&self.subject),
            from: moment(&self.from)?,
            until: moment(&self.until)?,
        })
    }

    /// The address of a page with this filter, and with one value more.
    fn address(&self, page: &str, more: Option<(&str, &str)>) -> String {
        let filter = [
            ("actor", self.actor.as_str()),
            ("terminal", &self.terminal),
            ("act", &self.act),
            ("subject", &self.subject),
            ("from", &self.from),
            ("until", &self.until),
        ];
        let parts: Vec<(&str, &str)> = filter.into_iter().chain(more).collect();
        format!("{page}{}", format::query(&parts))
    }
}

fn unreadable(what: &str) -> WebError {
    let shown: String = what.chars().take(40).collect();
    let what = Message::new("error-filter").with("what", shown);
    let next = Next { href: "/admin/log".to_owned(), label: Message::new("next-log") };
    WebError::Refused { status: StatusCode::BAD_REQUEST, what, next }
}

fn as_page(error: ActsError) -> WebError {
    match error {
        ActsError::Forbidden(error) => error.into(),
        ActsError::Store(error) => error.into(),
    }
}

/// Shows a page of the log.
pub async fn show(State(state): State<AppState>, visit: Visit, Query(asked): Query<Asked>) -> Result<Page, WebError> {
    let admin = visit.at_least(Role::Admin)?;
    let filter = asked.filter()?;
    let before = match asked.before.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_| unreadable(text))?),
    };
    let mut acts = state.service.acts(Some(admin), &filter, before, ROWS + 1).await.map_err(as_page)?;
    let more = acts.len() > ROWS as usize;
    acts.truncate(ROWS as usize);
    let older = acts.last().filter(|_| more);
    let older = older.map(|last| asked.address("/admin/log", Some(("before", &last.id.to_string()))));
    let export = |format| asked.address("/admin/log/export", Some(("format", format)));
    let kinds = audit::kinds(state.store().read()).await?.into_iter();
    let page = LogPage {
        frame: visit.frame(&state, Section::Admin),
        kinds: kinds.map(|act| KindChoice { selected: act == asked.act, act }).collect(),
        acts: acts.into_iter().map(ActLine::from).collect(),
        filtered: !asked.address("", None).is_empty(),
        newest: asked.address("/admin/log", None),
        older,
        csv: export("csv"),
        json_lines: export("jsonl"),
        asked,
    };
    Ok(Html(page.render()?))
}

/// All that fits, newest first, as it is read: a long log needs no memory.
pub async fn export(
    State(state): State<AppState>,
    visit: Visit,
    Query(asked): Query<Asked>,
) -> Result<Response, WebError> {
    let admin = visit.at_least(Role::Admin)?.clone();
    let filter = asked.filter()?;
    let csv = match asked.format.as_str() {
        "csv" => true,
        "jsonl" => false,
        other => return Err(unreadable(other)),
    };
    let rows = async_stream::stream! {
        if csv {
            yield Ok(Bytes::from_static(b"id,at,actor,act,subject,before,after,address\r\n"));
        }
        let mut before = None;
        loop {
            match state.service.acts(Some(&admin), &filter, before, AT_ONCE).await {
                Ok(acts) => {
                    let Some(last) = acts.last() else { break };
                    before = Some(last.id);
                    let lines: String = acts.iter().map(|act| if csv { csv_line(act) } else { json_line(act) }).collect();
                    yield Ok(Bytes::from(lines));
                }
                Err(error) => {
                    // A file that breaks off is told from a whole one by the connection that breaks.
                    yield Err(std::io::Error::other(error));
                    break;
                }
            }
        }
    };
    let (kind, name) = if csv {
        ("text/csv; charset=utf-8", "attachment; filename=\"touchstone-log.csv\"")
    } else {
        ("application/x-ndjson", "attachment; filename=\"touchstone-log.jsonl\"")
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static(name)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, Body::from_stream(rows)).into_response())
}

fn json_line(act: &Act) -> String {
    let mut line = serde_json::to_string(act).unwrap_or_default();
    line.push('\n');
    line
}

fn csv_line(act: &Act) -> String {
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_default();
    let fields = [
        act.id.to_string(),
        format::exact(act.at),
        or_nothing(&act.actor),
        act.act.clone(),
        act.subject.clone(),
        or_nothing(&act.before),
        or_nothing(&act.after),
        or_nothing(&act.address),
    ];
    let mut line = fields.iter().map(|field| csv_field(field)).collect::<Vec<_>>().join(",");
    line.push_str("\r\n");
    line
}

/// RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe before it.
fn csv_field(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    let text = format!("{guard}{text}");
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::csv_field;

    #[test]
    fn csv_fields_are_quoted_and_no_formulas() {
        for (text, field) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"\n", "\"say \"\"x\"\"\n\""),
            ("=1+1", "'=1+1"),
            ("@SUM(A1,B1)", "\"'@SUM(A1,B1)\""),
        ] {
            assert_eq!(csv_field(text), field);
        }
    }
}
