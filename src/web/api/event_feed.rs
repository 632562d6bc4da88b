//! `/contests/{contest}/event-feed`: every object that the caller sees, and again whenever it changes, as lines of JSON.
//! What a caller may not see is in no line: the feed is made of the same objects as the collections. Must not know: single
//! resources' fields.
//!
//! A line's token is the number of the last event that all lines up to it tell of; only the last line of a batch has one.
//! Whoever comes back with it gets what the events since then touch: the same object may come again, none is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::caller::Caller;
use super::collection::{Collection, Context};
use super::contest_state::ContestState;
use super::contests::ContestObject;
use super::{ApiError, contests};
use crate::domain::ids::{EventId, SubmissionId};
use crate::store::contest::Contest;
use crate::store::event::{self, Event, EventKind};
use crate::store::judgement;
use crate::web::state::AppState;

/// CLICS wants a line at least every 120 seconds.
const KEEP_ALIVE: Duration = Duration::from_mins(1);
/// Changes that come close together are sent at once.
const GATHER: Duration = Duration::from_millis(100);
/// More events than this since the last look, and everything is looked at anew.
const CATCH_UP: u32 = 2_000;

/// What may stand in the address.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Asked {
    /// `since_token`.
    since_token: Option<String>,
    /// Of older versions of CLICS; refused.
    since_id: Option<String>,
    /// DOMjudge's: `false` ends the feed after what there is.
    stream: Option<String>,
}

/// The feed.
pub(super) async fn show(
    State(state): State<AppState>,
    caller: Caller,
    Path(contest): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, ApiError> {
    let contest = contests::find(&state, &contest).await?;
    if asked.since_id.is_some() {
        return Err(ApiError::bad("`since_id` is of older versions; use `since_token`"));
    }
    let last = event::last(state.store().read()).await?;
    let since = match asked.since_token {
        None => None,
        Some(token) => {
            let known = token.parse::<EventId>().ok().filter(|since| since.0 >= 0 && *since <= last);
            Some(known.ok_or_else(|| ApiError::bad("this token is not of this feed; begin without one"))?)
        }
    };
    let goes_on = asked.stream.as_deref() != Some("false");
    let feed = Feed { state, caller, slug: contest.slug.to_string(), sent: BTreeMap::new(), read_to: EventId(0) };
    let kind = HeaderValue::from_static("application/x-ndjson");
    Ok(([(header::CONTENT_TYPE, kind)], Body::from_stream(lines(feed, since, goes_on))).into_response())
}

fn lines(
    mut feed: Feed,
    since: Option<EventId>,
    goes_on: bool,
) -> impl tokio_stream::Stream<Item = Result<String, Infallible>> {
    async_stream::stream! {
        let mut bell = feed.state.store().events();
        let mut change = Change::Everything;
        let mut first = true;
        loop {
            bell.mark_unchanged();
            feed.caller.now = feed.state.now();
            let batch = match since.filter(|_| first) {
                Some(since) => feed.resume(since).await,
                None => feed.batch(&change, true).await,
            };
            first = false;
            let (text, over, next) = match batch {
                Ok(batch) => batch,
                Err(error) => {
                    tracing::warn!(?error, "an event feed broke off");
                    break;
                }
            };
            if !text.is_empty() {
                yield Ok(text);
            }
            if over || !goes_on {
                break;
            }
            let turn = next.map(|next| tokio::time::Instant::now() + next);
            loop {
                tokio::select! {
                    changed = bell.changed() => {
                        if changed.is_err() {
                            return;
                        }
                        tokio::time::sleep(GATHER).await;
                        break;
                    }
                    // The start, the freeze and the end come by themselves.
                    () = at(turn) => break,
                    () = tokio::time::sleep(KEEP_ALIVE) => yield Ok("\n".to_owned()),
                    () = feed.state.stopped() => return,
                }
            }
            match feed.changed().await {
                Ok(what) => change = what,
                Err(error) => {
                    tracing::warn!(?error, "an event feed broke off");
                    break;
                }
            }
        }
    }
}

/// At this moment; never for `None`.
async fn at(moment: Option<tokio::time::Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// What may have changed.
enum Change {
    Everything,
    /// Only what belongs to these, and clarifications.
    Submissions(Vec<SubmissionId>),
}

impl Change {
    fn of(events: &[Event], contest: &Contest) -> Self {
        let mut submissions = BTreeSet::new();
        for event in events.iter().filter(|event| event.contest_id.is_none_or(|id| id == contest.id)) {
            match event.kind {
                EventKind::Submission | EventKind::Judgement | EventKind::Run => {
                    submissions.extend(event.submission_id);
                }
                EventKind::Clarification
                | EventKind::Account
                | EventKind::Package
                | EventKind::TestSet
                | EventKind::Proposal
                | EventKind::Rejudging => {}
                EventKind::Contest | EventKind::Problem | EventKind::Team | EventKind::State | EventKind::Award => {
                    return Self::Everything;
                }
            }
        }
        Self::Submissions(submissions.into_iter().collect())
    }
}

/// What a line is about: the type's place in the order of sending, its name, the object's id as a number (0 if it is none)
/// and as it is.
type Key = (usize, &'static str, u64, String);

struct Feed {
    state: AppState,
    caller: Caller,
    slug: String,
    /// What was sent last of each object, and the submission that it belongs to.
    sent: BTreeMap<Key, (Value, Option<SubmissionId>)>,
    read_to: EventId,
}

type Batch = (String, bool, Option<Duration>);

impl Feed {
    async fn contest(&self) -> Result<Contest, ApiError> {
        contests::find(&self.state, &self.slug).await
    }

    async fn changed(&self) -> Result<Change, ApiError> {
        let contest = self.contest().await?;
        let events = event::after(self.state.store().read(), self.read_to, CATCH_UP).await?;
        if events.len() >= CATCH_UP as usize || self.time_has_come(&contest) {
            return Ok(Change::Everything);
        }
        Ok(Change::of(&events, &contest))
    }

    /// Whether the contest's state is another than the one that was sent.
    fn time_has_come(&self, contest: &Contest) -> bool {
        let state = serde_json::to_value(ContestState::new(contest, self.state.now())).ok();
        let sent = self.sent.iter().find(|((_, kind, ..), _)| *kind == "state").map(|(_, (value, _))| value.clone());
        state != sent
    }

    /// What the events after `since` touch; the rest is taken as sent.
    async fn resume(&mut self, since: EventId) -> Result<Batch, ApiError> {
        let contest = self.contest().await?;
        let events = event::after(self.state.store().read(), since, CATCH_UP).await?;
        let change = Change::of(&events, &contest);
        if events.len() >= CATCH_UP as usize || matches!(change, Change::Everything) {
            return self.batch(&Change::Everything, true).await;
        }
        let Change::Submissions(touched) = change else { return self.batch(&Change::Everything, true).await };
        self.batch(&Change::Everything, false).await?;
        // Judgements that count no longer, of submissions whose judgement this caller sees.
        let judged = |id: &SubmissionId| {
            self.sent.iter().any(|((_, kind, ..), (_, submission))| *kind == "judgements" && *submission == Some(*id))
        };
        let seen: Vec<SubmissionId> = touched.iter().filter(|id| judged(id)).copied().collect();
        let gone = judgement::superseded(self.state.store().read(), &seen).await?;
        let gone = gone.into_iter().map(|id| (key("judgements", id.to_string()), (Value::Null, None)));
        self.sent.retain(|(_, kind, ..), (_, submission)| {
            *kind != "state"
                && *kind != "clarifications"
                && *kind != "awards"
                && submission.is_none_or(|id| !touched.contains(&id))
        });
        self.sent.extend(gone);
        self.batch(&Change::Everything, true).await
    }

    /// The lines for what changed since the last batch, whether they are the last, and when time changes something.
    async fn batch(&mut self, change: &Change, write: bool) -> Result<Batch, ApiError> {
        // Read before the objects: what comes meanwhile is looked at again.
        let token = event::last(self.state.store().read()).await?;
        let contest = self.contest().await?;
        let now = self.caller.now;
        let mut fresh: BTreeMap<Key, (Value, Option<SubmissionId>)> = BTreeMap::new();
        let only = match change {
            Change::Everything => None,
            Change::Submissions(ids) => Some(ids.as_slice()),
        };
        let state = ContestState::new(&contest, now);
        let over = state.end_of_updates.is_some();
        if only.is_none() {
            let object = to_value(&ContestObject::new(contest.clone(), now))?;
            fresh.insert(key("contest", String::new()), (object, None));
            fresh.insert(key("state", String::new()), (to_value(&state)?, None));
        }
        let mut judged: BTreeMap<String, SubmissionId> = BTreeMap::new();
        for collection in Collection::ALL {
            let again = match collection {
                Collection::Submissions | Collection::Judgements | Collection::Runs => {
                    only.is_none_or(|ids| !ids.is_empty())
                }
                // A new team, with where it belongs, comes with its first submission or question.
                Collection::Teams | Collection::Organizations | Collection::Clarifications => true,
                _ => only.is_none(),
            };
            if !again {
                continue;
            }
            let only = only.filter(|_| collection.of_submissions());
            let of = Context { state: &self.state, caller: &self.caller, contest: &contest, only };
            for object in collection.objects(&of).await? {
                let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                let id = text("id");
                let submission = match collection {
                    Collection::Submissions => id.parse().ok(),
                    Collection::Judgements => text("submission_id").parse().ok(),
                    Collection::Runs => judged.get(&text("judgement_id")).copied(),
                    _ => None,
                };
                if let (Collection::Judgements, Some(submission)) = (collection, submission) {
                    judged.insert(id.clone(), submission);
                }
                if collection == Collection::Runs && submission.is_none() {
                    // Its judgement began between the two reads: it comes with the next batch.
                    continue;
                }
                fresh.insert(key(collection.name(), id), (object, submission));
            }
        }
        let looked_at = |key: &Key, submission: Option<SubmissionId>| match only {
            None => true,
            Some(ids) => match key.1 {
                "teams" | "organizations" | "clarifications" => true,
                _ => submission.is_some_and(|id| ids.contains(&id)),
            },
        };
        let mut lines: Vec<Value> = Vec::new();
        // What is gone, the naming before the named.
        let gone: Vec<Key> = self
            .sent
            .iter()
            .filter(|(key, (_, submission))| looked_at(key, *submission) && !fresh.contains_key(*key))
            .map(|(key, _)| key.clone())
            .collect();
        for key in gone.into_iter().rev() {
            lines.push(json!({ "type": key.1, "id": key.3, "data": null }));
            self.sent.remove(&key);
        }
        let mut last = None;
        for (key, (object, submission)) in fresh {
            if self.sent.get(&key).is_some_and(|(sent, _)| *sent == object) {
                continue;
            }
            let id = if key.3.is_empty() { Value::Null } else { Value::String(key.3.clone()) };
            let line = json!({ "type": key.1, "id": id, "data": object });
            if key.1 == "state" && over {
                last = Some(line);
            } else {
                lines.push(line);
            }
            self.sent.insert(key, (object, submission));
        }
        lines.extend(last);
        self.read_to = token;
        let next = contest.times().next_change(now).and_then(|at| u64::try_from(at.since(now)).ok());
        let next = next.map(Duration::from_millis);
        if !write {
            return Ok((String::new(), over, next));
        }
        if let Some(Value::Object(line)) = lines.last_mut() {
            line.insert("token".to_owned(), Value::String(token.to_string()));
        }
        let mut text = String::new();
        for line in &lines {
            let _ = writeln!(text, "{line}");
        }
        Ok((text, over, next))
    }
}

fn to_value<T: serde::Serialize>(object: &T) -> Result<Value, ApiError> {
    serde_json::to_value(object).map_err(|error| ApiError::internal(&error))
}

/// In the order of sending: none names an object of a later type.
fn key(kind: &'static str, id: String) -> Key {
    let place = match kind {
        "contest" => 0,
        "state" => 7,
        _ => Collection::ALL
            .iter()
            .position(|one| one.name() == kind)
            .map_or(99, |place| place + 1 + usize::from(place >= 6)),
    };
    (place, kind, id.parse().unwrap_or(0), id)
}
