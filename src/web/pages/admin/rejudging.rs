//! `/admin/rejudgings`: the list, and one rejudging: how far it is, what it would change, and the ways to decide. Must not
//! know: how ranks come about.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};

use super::rejudge::{as_page, refusal};
use crate::domain::account::Role;
use crate::domain::ids::{RejudgingId, SubmissionId};
use crate::domain::time::EpochMs;
use crate::domain::verdict::Verdict;
use crate::ranking::icpc::Scoring;
use crate::service::rejudge::{RejudgeError, Selection};
use crate::service::rejudge_preview::{BoardChange, Preview};
use crate::store::rejudging::{Pair, Rejudging, RejudgingState};
use crate::store::submission;
use crate::web::error::{Next, WebError};
use crate::web::extract::{Fields, Visit};
use crate::web::i18n::{Lang, Message};
use crate::web::pages::{FormPage, Page};
use crate::web::state::AppState;
use crate::web::view::award;
use crate::web::view::board_row::points;
use crate::web::view::format;
use crate::web::view::frame::{Frame, Section};
use crate::web::view::mark::{Mark, verdict_name};
use crate::web::view::slopes::Slopes;

/// Rejudgings a page of the list.
const LISTED: u32 = 50;
/// Changed verdicts a page.
const CHANGES: usize = 50;
/// Moved teams of a board that are shown; the rest is counted.
const MOVED: usize = 50;

#[derive(Template)]
#[template(path = "pages/admin/rejudgings.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Line>,
    older: Option<RejudgingId>,
}

struct Line {
    id: RejudgingId,
    what: String,
    reason: String,
    state: Message,
    tone: &'static str,
    total: u32,
    by: Option<String>,
    created: EpochMs,
}

/// Where a list goes on.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub struct From {
    before: Option<i64>,
    after: Option<i64>,
}

/// Shows the list.
pub async fn list(State(state): State<AppState>, visit: Visit, Query(from): Query<From>) -> Result<Page, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let before = from.before.map(RejudgingId);
    let mut rows = state.service.rejudgings(Some(judge), before, LISTED + 1).await.map_err(as_page)?;
    let more = rows.len() > LISTED as usize;
    rows.truncate(LISTED as usize);
    let older = rows.last().filter(|_| more).map(|row| row.id);
    let rows = rows.into_iter().map(|row| line(&state, visit.lang, row)).collect();
    Ok(Html(ListPage { frame: visit.frame(&state, Section::Admin), rows, older }.render()?))
}

fn line(state: &AppState, lang: Lang, row: Rejudging) -> Line {
    let (words, tone) = state_words(&row);
    let selection: Selection = serde_json::from_str(&row.scope).unwrap_or_default();
    Line {
        id: row.id,
        what: chosen_words(state, lang, &selection),
        reason: row.reason,
        state: words,
        tone,
        total: row.total,
        by: row.created_by,
        created: row.created,
    }
}

/// What became of it, and the tone of its badge.
fn state_words(row: &Rejudging) -> (Message, &'static str) {
    match row.state {
        RejudgingState::Open if row.done < row.total => (Message::new("rejudging-judging"), "busy"),
        RejudgingState::Open => (Message::new("rejudging-ready"), "busy"),
        RejudgingState::Applied if row.undone.is_some() => (Message::new("rejudging-undone"), "none"),
        RejudgingState::Applied => (Message::new("rejudging-applied"), "good"),
        RejudgingState::Dropped => (Message::new("rejudging-dropped"), "none"),
    }
}

/// What was chosen, in words.
fn chosen_words(state: &AppState, lang: Lang, selection: &Selection) -> String {
    let say = |key: &'static str, what: String| lang.say(&Message::new(key).with("what", what));
    let mut parts = Vec::new();
    parts.extend(selection.submission.map(|id| say("chosen-submission", id.to_string())));
    parts.extend(selection.contest.clone().map(|slug| say("chosen-contest", slug)));
    parts.extend(selection.problem.clone().map(|slug| say("chosen-problem", slug)));
    parts.extend(selection.language.as_ref().map(|id| say("chosen-language", state.language_name(id))));
    parts.extend(selection.verdict.map(|verdict| say("chosen-verdict", lang.say(&verdict_name(verdict)))));
    parts.extend(selection.from.map(|at| say("chosen-from", format::exact(at))));
    parts.extend(selection.until.map(|at| say("chosen-until", format::exact(at))));
    parts.extend(selection.outdated.then(|| lang.text("chosen-outdated").into_owned()));
    parts.join(lang.list_separator())
}

#[derive(Template)]
#[template(path = "pages/admin/rejudging.html")]
struct RejudgingPage {
    frame: Frame,
    error: Option<String>,
    row: Rejudging,
    what: String,
    state: Message,
    tone: &'static str,
    judging: bool,
    share: u32,
    seen: Arc<Preview>,
    matrix: Vec<MatrixLine>,
    changes: Vec<ChangeLine>,
    next_changes: Option<SubmissionId>,
    boards: Vec<BoardPart>,
    moved: usize,
}

/// So many went from one verdict to another.
struct MatrixLine {
    before: Mark,
    after: Mark,
    count: usize,
    share: usize,
}

struct ChangeLine {
    id: SubmissionId,
    problem: String,
    team: String,
    language: String,
    before: Mark,
    after: Mark,
    judgement: i64,
    scores: Option<(String, String)>,
}

struct BoardPart {
    name: String,
    slopes: Option<Slopes>,
    lines: Vec<MovedLine>,
    more: usize,
    /// Whether teams are ranked by points.
    scored: bool,
    awards: Vec<AwardLine>,
}

/// An award with the teams that win or lose it.
struct AwardLine {
    name: Message,
    won: String,
    lost: String,
}

struct MovedLine {
    team: String,
    rank: (String, String),
    solved: (String, String),
    time: (String, String),
    points: (String, String),
    direction: &'static str,
    won: String,
    lost: String,
}

/// Shows one.
pub async fn show(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    Query(from): Query<From>,
) -> Result<Page, WebError> {
    visit.at_least(Role::Judge)?;
    let (_, page) = page(&state, &visit, &id, &from, None).await?;
    Ok(page)
}

fn no_rejudging() -> WebError {
    let next = Next { href: "/admin/rejudgings".to_owned(), label: Message::new("next-rejudgings") };
    WebError::not_found(Message::new("error-no-rejudging"), next)
}

async fn page(
    state: &AppState,
    visit: &Visit,
    id: &str,
    from: &From,
    error: Option<(StatusCode, Message)>,
) -> Result<FormPage, WebError> {
    let id: RejudgingId = id.parse().map_err(|_| no_rejudging())?;
    let seen = match state.service.rejudging(visit.person.as_deref(), id).await {
        Ok(seen) => seen,
        Err(RejudgeError::NoSuchRejudging(_)) => return Err(no_rejudging()),
        Err(error) => return Err(as_page(error)),
    };
    let lang = visit.lang;
    let row = seen.rejudging.clone();
    let (words, tone) = state_words(&row);
    let after = from.after.unwrap_or(0);
    let mut shown: Vec<&Pair> = seen.changes.iter().filter(|pair| pair.submission_id.0 > after).collect();
    let more = shown.len() > CHANGES;
    shown.truncate(CHANGES);
    let next_changes = shown.last().filter(|_| more).map(|pair| pair.submission_id);
    let changes = change_lines(state, lang, &shown).await?;
    let page = RejudgingPage {
        frame: visit.frame(state, Section::Admin),
        error: error.as_ref().map(|(_, message)| lang.say(message)),
        what: chosen_words(state, lang, &seen.selection),
        state: words,
        tone,
        judging: row.state == RejudgingState::Open && row.done < row.total,
        share: (row.done * 100).checked_div(row.total).unwrap_or(100),
        matrix: matrix(&seen.changes),
        changes,
        next_changes,
        moved: seen.boards.iter().map(|board| board.moved.len()).sum(),
        boards: seen.boards.iter().map(|board| board_part(lang, board)).collect(),
        row,
        seen,
    };
    Ok((error.map_or(StatusCode::OK, |(status, _)| status), Html(page.render()?)))
}

fn mark(verdict: Option<Verdict>) -> Mark {
    verdict.map_or(Mark::Pending, Mark::Decided)
}

/// How many went from which verdict to which, the most first.
fn matrix(changes: &[Pair]) -> Vec<MatrixLine> {
    let mut counts: BTreeMap<(&str, &str), (Mark, Mark, usize)> = BTreeMap::new();
    for pair in changes.iter().filter(|pair| pair.before != pair.after) {
        let (before, after) = (mark(pair.before), mark(pair.after));
        counts.entry((before.state(), after.state())).or_insert((before, after, 0)).2 += 1;
    }
    let most = counts.values().map(|(.., count)| *count).max().unwrap_or(1);
    let mut lines: Vec<MatrixLine> = counts
        .into_values()
        .map(|(before, after, count)| MatrixLine { before, after, count, share: (count * 100).div_ceil(most) })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.count));
    lines
}

async fn change_lines(state: &AppState, lang: Lang, pairs: &[&Pair]) -> Result<Vec<ChangeLine>, WebError> {
    let ids: Vec<SubmissionId> = pairs.iter().map(|pair| pair.submission_id).collect();
    let rows = submission::rows(state.store().read(), &ids).await?;
    let rows: BTreeMap<SubmissionId, _> = rows.into_iter().map(|row| (row.id, row)).collect();
    let lines = pairs.iter().filter_map(|pair| {
        let row = rows.get(&pair.submission_id)?;
        let name = row.problem_names.in_language(lang.code()).unwrap_or(row.problem_slug.as_str());
        let score = |score: Option<f64>| score.map_or_else(|| "–".to_owned(), |score| score.to_string());
        let scored = pair.before_score != pair.after_score;
        Some(ChangeLine {
            id: row.id,
            problem: format!("{} · {name}", row.label),
            team: row.team_name.clone(),
            language: state.language_name(&row.language),
            before: mark(pair.before),
            after: mark(pair.after),
            judgement: pair.after_id.0,
            scores: scored.then(|| (score(pair.before_score), score(pair.after_score))),
        })
    });
    Ok(lines.collect())
}

fn board_part(lang: Lang, board: &BoardChange) -> BoardPart {
    let labels = |ids: &[crate::domain::ids::ProblemId]| -> String {
        let label = |id: &crate::domain::ids::ProblemId| {
            board.problems.iter().find(|problem| problem.problem_id == *id).map(|problem| problem.label.clone())
        };
        ids.iter().filter_map(label).collect::<Vec<_>>().join(lang.list_separator())
    };
    let lines = board.moved.iter().take(MOVED).map(|moved| {
        let figure = |read: fn(&crate::ranking::difference::Standing) -> String| {
            let of = |standing: &Option<_>| standing.as_ref().map_or_else(|| "–".to_owned(), read);
            (of(&moved.before), of(&moved.after))
        };
        let ranks = (moved.before.map_or(u32::MAX, |one| one.rank), moved.after.map_or(u32::MAX, |one| one.rank));
        MovedLine {
            team: moved.name.to_string(),
            rank: figure(|one| one.rank.to_string()),
            solved: figure(|one| one.num_solved.to_string()),
            time: figure(|one| one.total_time.to_string()),
            points: figure(|one| points(one.points)),
            direction: match ranks.0.cmp(&ranks.1) {
                std::cmp::Ordering::Greater => "up",
                std::cmp::Ordering::Less => "down",
                std::cmp::Ordering::Equal => "same",
            },
            won: labels(&moved.firsts_won),
            lost: labels(&moved.firsts_lost),
        }
    });
    let name = if board.contest.is_practice() {
        lang.text("contest-practice").into_owned()
    } else {
        board.contest.name.clone()
    };
    BoardPart {
        slopes: Slopes::new(&board.moved, lang.say(&Message::new("slopes-label").with("contest", name.as_str()))),
        lines: lines.collect(),
        more: board.moved.len().saturating_sub(MOVED),
        scored: board.scoring == Scoring::Score,
        awards: board
            .awards
            .iter()
            .map(|award| AwardLine {
                name: award::words(&award.honour),
                won: award.won.join(lang.list_separator()),
                lost: award.lost.join(lang.list_separator()),
            })
            .collect(),
        name,
    }
}

/// Lets it count, if it would still change what was looked at.
pub async fn apply(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let number: RejudgingId = id.parse().map_err(|_| no_rejudging())?;
    let done = state.service.apply_rejudging(Some(judge), number, Some(fields.get("seen")), visit.now).await;
    decided(&state, &visit, &id, done).await
}

/// Gives it up.
pub async fn discard(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let number: RejudgingId = id.parse().map_err(|_| no_rejudging())?;
    let done = state.service.drop_rejudging(Some(judge), number, visit.now).await;
    decided(&state, &visit, &id, done).await
}

/// Takes it back.
pub async fn undo(
    State(state): State<AppState>,
    visit: Visit,
    Path(id): Path<String>,
    _fields: Fields,
) -> Result<Response, WebError> {
    let judge = visit.at_least(Role::Judge)?;
    let number: RejudgingId = id.parse().map_err(|_| no_rejudging())?;
    let done = state.service.undo_rejudging(Some(judge), number, visit.now).await;
    decided(&state, &visit, &id, done).await
}

async fn decided(
    state: &AppState,
    visit: &Visit,
    id: &str,
    done: Result<(), RejudgeError>,
) -> Result<Response, WebError> {
    match done {
        Ok(()) => Ok(Redirect::to(&format!("/admin/rejudgings/{id}")).into_response()),
        Err(RejudgeError::NoSuchRejudging(_)) => Err(no_rejudging()),
        Err(error) => {
            let refusal = refusal(error)?;
            Ok(page(state, visit, id, &From::default(), Some(refusal)).await?.into_response())
        }
    }
}
