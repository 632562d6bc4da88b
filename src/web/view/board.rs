//! A ranked board as markup. It depends on the language alone, never on who looks, so that one rendering serves every
//! viewer. Must not know: how ranks come about, who is logged in.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use askama::Template;

use crate::domain::ids::{EventId, TeamId};
use crate::domain::verdict::Verdict;
use crate::ranking::icpc::{Cell, Row, View};
use crate::service::scoreboard::BoardPage;
use crate::web::i18n::Lang;
use crate::web::view::mark::{Icon, Mark};

/// So many rows are seen without scrolling; `static/js/live.js` knows it too.
const SEEN_ROWS: usize = 5;

/// The board's table.
#[derive(Template)]
#[template(path = "partials/board.html")]
pub struct BoardView<'a> {
    lang: Lang,
    frozen: bool,
    columns: Vec<Column>,
    rows: &'a [Row],
    mine: Option<&'a Row>,
}

struct Column {
    slug: String,
    label: String,
    rgb: String,
    title: String,
    solved: usize,
    tried: usize,
}

/// What a cell shows.
enum CellState {
    Solved(String),
    Pending(u32),
    Tried,
    Untried,
}

impl<'a> BoardView<'a> {
    /// The board with its problems' letters, in the order of the cells.
    pub fn new(page: &'a BoardPage, lang: Lang) -> Self {
        let board = &page.scoreboard;
        let columns = board.problems.iter().enumerate().map(|(index, id)| {
            let place = page.problems.iter().find(|place| place.problem_id == *id);
            let cells = || board.rows.iter().filter_map(move |row| row.cells.get(index));
            Column {
                slug: place.map(|place| place.slug.to_string()).unwrap_or_default(),
                label: place.map(|place| place.label.clone()).unwrap_or_default(),
                rgb: place.map(|place| place.rgb.clone()).unwrap_or_default(),
                title: place.and_then(|place| place.names.in_language(lang.code())).unwrap_or_default().to_owned(),
                solved: cells().filter(|cell| cell.solved()).count(),
                tried: cells().filter(|cell| cell.num_judged > 0 || cell.num_pending > 0).count(),
            }
        });
        Self { lang, frozen: page.frozen, columns: columns.collect(), rows: &board.rows, mine: None }
    }

    /// The same with one row on top, too, unless it is among the first and seen anyway.
    #[must_use]
    pub fn pin(mut self, team: Option<TeamId>) -> Self {
        let found = self.rows.iter().position(|row| Some(row.team) == team);
        self.mine = found.filter(|index| *index >= SEEN_ROWS).and_then(|index| self.rows.get(index));
        self
    }

    fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.lang.text(key)
    }

    fn time(row: &Row) -> String {
        minutes(row.total_time)
    }

    fn state(cell: &Cell) -> CellState {
        match cell.solved_at {
            Some(minute) => CellState::Solved(minutes(minute)),
            None if cell.num_pending > 0 => CellState::Pending(cell.num_judged + cell.num_pending),
            None if cell.num_judged > 0 => CellState::Tried,
            None => CellState::Untried,
        }
    }
}

/// Contest minutes; a practice board runs for months, then days are read more easily.
fn minutes(minutes: i64) -> String {
    if minutes < 10_000 { minutes.to_string() } else { format!("{} d", minutes / 1_440) }
}

/// Boards as markup, kept until they change: rendered once per change and language, not once per viewer.
#[derive(Debug, Default)]
pub struct RenderedBoards {
    kept: Mutex<HashMap<(Lang, View), Kept>>,
}

/// A rendering, and what it was made from.
#[derive(Debug, Clone)]
struct Kept {
    version: EventId,
    frozen: bool,
    html: Arc<str>,
}

impl RenderedBoards {
    /// The board's markup without a pinned row. A team's own view of a frozen board is rendered anew: it is one
    /// viewer's.
    ///
    /// # Errors
    /// The template's.
    pub fn html(&self, page: &BoardPage, lang: Lang) -> Result<Arc<str>, askama::Error> {
        let key = (lang, page.view);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(kept) = kept.filter(|kept| kept.version == page.version && kept.frozen == page.frozen) {
            return Ok(kept.html);
        }
        let html: Arc<str> = BoardView::new(page, lang).render()?.into();
        if !matches!(page.view, View::Team(_)) {
            let entry = Kept { version: page.version, frozen: page.frozen, html: Arc::clone(&html) };
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(key, entry);
        }
        Ok(html)
    }
}
