//! A ranked board as markup. It depends on the language and the filter alone, never on who looks, so that one rendering
//! serves every viewer. Must not know: how ranks come about, who is logged in.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use askama::Template;

use crate::domain::ids::{ContestId, EventId, TeamId};
use crate::domain::verdict::Verdict;
use crate::ranking::icpc::{Cell, Row, Scoring, View};
use crate::service::scoreboard::BoardPage;
use crate::store::contest_team::ContestTeam;
use crate::web::i18n::{Lang, Message};
use crate::web::view::mark::{Icon, Mark};

/// So many rows are seen without scrolling; `static/js/live.js` knows it too.
const SEEN_ROWS: usize = 5;
/// Where the viewer's own row goes in a rendering that serves every viewer.
const OWN_ROW: &str = "<!--own-->";

/// Which teams are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Those of this group; empty: all.
    pub group: String,
    /// Those of this organization; empty: all.
    pub organization: String,
}

impl Filter {
    fn takes(&self, team: &ContestTeam) -> bool {
        (self.group.is_empty() || team.groups.split(' ').any(|group| group == self.group))
            && (self.organization.is_empty() || team.organization.as_ref() == Some(&self.organization))
    }

    fn is_empty(&self) -> bool {
        self.group.is_empty() && self.organization.is_empty()
    }
}

/// The board's table.
#[derive(Template)]
#[template(path = "partials/board.html")]
pub struct BoardView<'a> {
    lang: Lang,
    frozen: Option<String>,
    columns: Vec<Column>,
    rows: Vec<&'a Row>,
    scoring: Scoring,
    /// What stands before the addresses of the contest's pages; `None`: nothing is a link.
    base: Option<String>,
}

/// One row, to stand on top.
#[derive(Template)]
#[template(path = "partials/board-own.html")]
struct OwnRow<'a> {
    lang: Lang,
    row: &'a Row,
    scoring: Scoring,
    base: Option<String>,
}

struct Column {
    /// The problem's page, where there is one to go to.
    href: Option<String>,
    label: String,
    rgb: String,
    title: String,
    solved: usize,
    tried: usize,
}

/// What a cell shows.
enum CellState {
    Solved(String),
    Scored(String),
    Pending(u32),
    Tried,
    Untried,
}

impl<'a> BoardView<'a> {
    /// The board with its problems' letters, in the order of the cells; only the teams that the filter takes.
    pub fn new(page: &'a BoardPage, lang: Lang, filter: &Filter, base: Option<String>) -> Self {
        let board = &page.scoreboard;
        let taken: Option<Vec<TeamId>> = (!filter.is_empty())
            .then(|| page.teams.iter().filter(|team| filter.takes(team)).map(|team| team.id).collect());
        let shown = |row: &&Row| taken.as_ref().is_none_or(|taken| taken.contains(&row.team));
        let rows: Vec<&Row> = board.rows.iter().filter(shown).collect();
        let columns = board.problems.iter().enumerate().map(|(index, id)| {
            let place = page.problems.iter().find(|place| place.problem_id == *id);
            let cells = || rows.iter().filter_map(move |row| row.cells.get(index));
            Column {
                href: base.as_ref().zip(place).map(|(base, place)| format!("{base}/problems/{}", place.slug)),
                label: place.map(|place| place.label.clone()).unwrap_or_default(),
                rgb: place.map(|place| place.rgb.clone()).unwrap_or_default(),
                title: place.and_then(|place| place.names.in_language(lang.code())).unwrap_or_default().to_owned(),
                solved: cells().filter(|cell| cell.solved()).count(),
                tried: cells().filter(|cell| cell.num_judged > 0 || cell.num_pending > 0).count(),
            }
        });
        let columns = columns.collect();
        let frozen = page.frozen.then(|| page.contest.freeze_ms.unwrap_or_default() / 60_000);
        let frozen = frozen.map(|minutes| lang.say(&Message::new("board-frozen").with("minutes", minutes)));
        Self { lang, frozen, columns, rows, scoring: page.scoring, base }
    }

    fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.lang.text(key)
    }
}

/// What the templates of rows ask for.
trait Rows {
    fn scoring(&self) -> Scoring;

    fn solved(&self, row: &Row) -> String {
        match self.scoring() {
            Scoring::PassFail => row.num_solved.to_string(),
            Scoring::Score => points(row.points),
        }
    }

    fn time(&self, row: &Row) -> String {
        match self.scoring() {
            Scoring::PassFail => minutes(row.total_time),
            Scoring::Score => String::new(),
        }
    }

    fn state(&self, cell: &Cell) -> CellState {
        match (self.scoring(), cell.solved_at) {
            (Scoring::Score, _) if cell.scored_at.is_some() && cell.num_pending == 0 => {
                CellState::Scored(points(cell.points))
            }
            (Scoring::PassFail, Some(minute)) => CellState::Solved(minutes(minute)),
            _ if cell.num_pending > 0 => CellState::Pending(cell.num_judged + cell.num_pending),
            _ if cell.num_judged > 0 => CellState::Tried,
            _ => CellState::Untried,
        }
    }
}

impl Rows for BoardView<'_> {
    fn scoring(&self) -> Scoring {
        self.scoring
    }
}

impl Rows for OwnRow<'_> {
    fn scoring(&self) -> Scoring {
        self.scoring
    }
}

impl OwnRow<'_> {
    fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.lang.text(key)
    }
}

/// Contest minutes; a practice board runs for months, then days are read more easily.
fn minutes(minutes: i64) -> String {
    if minutes < 10_000 { minutes.to_string() } else { format!("{} d", minutes / 1_440) }
}

/// Thousandths of points without needless zeros.
pub fn points(thousandths: i64) -> String {
    let (whole, rest) = (thousandths / 1_000, thousandths % 1_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{}", format!("{rest:03}").trim_end_matches('0'))
}

/// Boards as markup, kept until they change: rendered once per change, language and filter, not once per viewer.
#[derive(Debug, Default)]
pub struct RenderedBoards {
    kept: Mutex<HashMap<Key, Kept>>,
}

type Key = (ContestId, Lang, View, Filter);

/// A rendering, and what it was made from.
#[derive(Debug, Clone)]
struct Kept {
    version: EventId,
    frozen: bool,
    problems: usize,
    html: Arc<str>,
}

impl RenderedBoards {
    /// The board's markup without a viewer's own row on top. A team's own view of a frozen board is rendered anew: it is
    /// one viewer's.
    ///
    /// # Errors
    /// The template's.
    pub fn html(&self, page: &BoardPage, lang: Lang, filter: &Filter, base: &str) -> Result<Arc<str>, askama::Error> {
        let key = (page.contest.id, lang, page.view, filter.clone());
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let fits = |kept: &Kept| {
            kept.version == page.version && kept.frozen == page.frozen && kept.problems == page.problems.len()
        };
        if let Some(kept) = kept.filter(fits) {
            return Ok(kept.html);
        }
        let html: Arc<str> = BoardView::new(page, lang, filter, Some(base.to_owned())).render()?.into();
        if !matches!(page.view, View::Team(_)) {
            let (version, frozen, problems) = (page.version, page.frozen, page.problems.len());
            let entry = Kept { version, frozen, problems, html: Arc::clone(&html) };
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(key, entry);
        }
        Ok(html)
    }
}

/// A rendered board with one team's row on top, too, unless it is among the first and seen anyway.
///
/// # Errors
/// The template's.
pub fn with_own_row(
    html: &str,
    page: &BoardPage,
    team: Option<TeamId>,
    lang: Lang,
    base: &str,
) -> Result<String, askama::Error> {
    let found = page.scoreboard.rows.iter().position(|row| Some(row.team) == team);
    let row = found.filter(|index| *index >= SEEN_ROWS).and_then(|index| page.scoreboard.rows.get(index));
    let Some(row) = row else { return Ok(html.replacen(OWN_ROW, "", 1)) };
    let own = OwnRow { lang, row, scoring: page.scoring, base: Some(base.to_owned()) }.render()?;
    Ok(html.replacen(OWN_ROW, &own, 1))
}
