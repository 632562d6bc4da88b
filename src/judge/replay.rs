//! Judging again what was judged before, without writing anything: what a receipt is worth.
//!
//! Owns: the comparison of a stored judgement with a new one. Must not know: where judgements are stored.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tokio::sync::mpsc;

use super::job_source::{JobSource, JudgeWork, JudgedOutcome, SourceError, Work};
use super::judge_job;
use super::worker::{self, Ending, Tools};

/// A part of a judgement that came out otherwise.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// Which part: `verdict`, or a line of the receipt such as `limits / cpu_ms`.
    pub part: String,
    /// As it was stored; `None` when it was not there.
    pub stored: Option<String>,
    /// As it is now; `None` when it is no more.
    pub now: Option<String>,
}

impl Difference {
    /// Whether it only says that another machine judged: nothing that a verdict depends on.
    pub fn is_of_host(&self) -> bool {
        self.part.starts_with("host / ")
    }
}

/// Judges on this machine with its compilers; nothing is stored.
///
/// # Errors
/// [`SourceError::Unavailable`] with the fault that kept it from a verdict: damaged contents, a missing compiler.
pub async fn judge_again<S: JobSource>(
    source: &Arc<S>,
    tools: &Arc<Tools>,
    work: JudgeWork,
) -> Result<JudgedOutcome, SourceError> {
    let work = Work::Judge(work);
    let fetched = worker::fetch(source, tools, &work).await?;
    let Work::Judge(work) = work else { return Err(SourceError::LeaseLost) };
    let tools = Arc::clone(tools);
    let (reports, listening) = mpsc::unbounded_channel();
    let judged =
        tokio::task::spawn_blocking(move || judge_job::run(&tools, &work, &fetched, &reports, &AtomicBool::new(false)));
    let judged = judged.await.map_err(|panic| SourceError::Unavailable(panic.to_string()))?;
    drop(listening);
    match judged {
        Ok(Some(Ending::Judged(outcome))) => Ok(outcome),
        Ok(_) => Err(SourceError::Unavailable("the judgement was cut off".to_owned())),
        Err(fault) => Err(SourceError::Unavailable(fault.to_string())),
    }
}

/// The lines of two receipts that differ, in order.
pub fn compare_receipts(stored: &str, now: &str) -> Vec<Difference> {
    let (stored, now) = (lines(stored), lines(now));
    let parts: BTreeSet<&String> = stored.keys().chain(now.keys()).collect();
    let differing = parts.into_iter().filter(|part| stored.get(*part) != now.get(*part));
    differing
        .map(|part| Difference { part: part.clone(), stored: stored.get(part).cloned(), now: now.get(part).cloned() })
        .collect()
}

/// A receipt's parts by name; parts within parts are joined by ` / `. What is no receipt has none.
pub fn lines(receipt: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if let Ok(Value::Object(parts)) = serde_json::from_str::<Value>(receipt) {
        for (name, value) in &parts {
            collect(&mut found, name.clone(), value);
        }
    }
    found
}

fn collect(found: &mut BTreeMap<String, String>, name: String, value: &Value) {
    match value {
        Value::Object(parts) => {
            for (part, value) in parts {
                collect(found, format!("{name} / {part}"), value);
            }
        }
        Value::Null => {}
        Value::String(text) => {
            found.insert(name, text.clone());
        }
        other => {
            found.insert(name, other.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_is_named() {
        let stored = r#"{"source":"ab","limits":{"cpu_ms":1000},"tools":{"gcc":"12"},"host":{"kernel":"6.1"}}"#;
        let now = r#"{"source":"ab","limits":{"cpu_ms":2000},"tools":{"clang":"1"},"host":{"kernel":"6.2"}}"#;
        let differences = compare_receipts(stored, now);
        let told: Vec<(&str, Option<&str>, Option<&str>)> =
            differences.iter().map(|one| (one.part.as_str(), one.stored.as_deref(), one.now.as_deref())).collect();
        assert_eq!(
            told,
            [
                ("host / kernel", Some("6.1"), Some("6.2")),
                ("limits / cpu_ms", Some("1000"), Some("2000")),
                ("tools / clang", None, Some("1")),
                ("tools / gcc", Some("12"), None),
            ]
        );
        assert!(differences[0].is_of_host() && !differences[1].is_of_host());
    }

    proptest! {
        #[test]
        fn any_stored_text_is_answered(text in "\\PC{0,200}") {
            prop_assert!(compare_receipts(&text, &text).is_empty());
        }
    }
}
