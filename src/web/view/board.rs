//! A ranked board as markup. It depends on the language alone, never on who looks, so that one rendering serves every
//! viewer. Must not know: how ranks come about, who is logged in.

use std::borrow::Cow;

use askama::Template;

use crate::domain::verdict::Verdict;
use crate::ranking::icpc::{Cell, Row, Scoreboard};
use crate::store::contest::ContestProblem;
use crate::web::i18n::Lang;
use crate::web::view::mark::{Icon, Mark};

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
    Solved(i64),
    Pending(u32),
    Tried,
    Untried,
}

impl<'a> BoardView<'a> {
    /// The board with its problems' letters, in the order of the cells.
    pub fn new(board: &'a Scoreboard, problems: &[ContestProblem], frozen: bool, lang: Lang) -> Self {
        let columns = board.problems.iter().enumerate().map(|(index, id)| {
            let place = problems.iter().find(|place| place.problem_id == *id);
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
        Self { lang, frozen, columns: columns.collect(), rows: &board.rows, mine: None }
    }

    /// The same with one row on top, too.
    #[must_use]
    pub fn pin(mut self, team: Option<crate::domain::ids::TeamId>) -> Self {
        self.mine = self.rows.iter().find(|row| Some(row.team) == team);
        self
    }

    fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.lang.text(key)
    }

    /// Contest minutes; a practice board runs for months, then days are read more easily.
    fn minutes(&self, minutes: &i64) -> String {
        if *minutes < 10_000 { minutes.to_string() } else { format!("{} d", minutes / 1_440) }
    }

    fn state(&self, cell: &Cell) -> CellState {
        match cell.solved_at {
            Some(minute) => CellState::Solved(minute),
            None if cell.num_pending > 0 => CellState::Pending(cell.num_judged + cell.num_pending),
            None if cell.num_judged > 0 => CellState::Tried,
            None => CellState::Untried,
        }
    }
}
