//! One team's row of a board as markup, as short as it can be: a board has thousands of cells. Must not know: how ranks
//! come about, which other rows there are.

use std::borrow::Cow;

use askama::Template;

use super::board::Links;
use crate::domain::verdict::Verdict;
use crate::ranking::icpc::{Cell, Row, Scoring};
use crate::web::i18n::Lang;
use crate::web::view::mark::Mark;

/// A longer name may not fit into its column: then it can be read whole by pointing at it.
const FITS: usize = 24;

/// A row. The shape of a cell comes from its `data-verdict`, by `static/css/touchstone.css`; its words stand in `title`.
#[derive(Template)]
#[template(path = "partials/board-row.html")]
pub struct RowView<'a> {
    pub(super) lang: Lang,
    pub(super) row: &'a Row,
    pub(super) scoring: Scoring,
    pub(super) links: &'a Links,
}

/// What a cell shows.
struct Shown {
    mark: Mark,
    first: bool,
    title: String,
    /// Attempts, or points.
    figure: String,
    /// The minute, or attempts.
    below: Option<String>,
}

impl RowView<'_> {
    fn href(&self) -> Option<String> {
        self.links.of_team(self.row.team)
    }

    /// What pointing at the name shows.
    fn whole_name(&self) -> Option<&str> {
        Some(&*self.row.name).filter(|name| name.chars().count() > FITS)
    }

    fn solved(&self) -> String {
        match self.scoring {
            Scoring::PassFail => self.row.num_solved.to_string(),
            Scoring::Score => points(self.row.points),
        }
    }

    fn time(&self) -> String {
        match self.scoring {
            Scoring::PassFail => minutes(self.row.total_time),
            Scoring::Score => String::new(),
        }
    }

    fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.lang.text(key)
    }

    fn shown(&self, cell: &Cell) -> Option<Shown> {
        let (verdict, figure, below) = match (self.scoring, cell.solved_at) {
            (Scoring::Score, _) if cell.scored_at.is_some() && cell.num_pending == 0 => {
                let verdict = if cell.solved() { Verdict::Accepted } else { Verdict::WrongAnswer };
                (Some(verdict), points(cell.points), Some(cell.num_judged.to_string()))
            }
            (Scoring::PassFail, Some(minute)) => {
                (Some(Verdict::Accepted), cell.num_judged.to_string(), Some(minutes(minute)))
            }
            _ if cell.num_pending > 0 => (None, (cell.num_judged + cell.num_pending).to_string(), None),
            _ if cell.num_judged > 0 => (Some(Verdict::WrongAnswer), cell.num_judged.to_string(), None),
            _ => return None,
        };
        let mut title = self.t(match verdict {
            Some(Verdict::Accepted) => "progress-solved",
            Some(_) => "progress-tried",
            None => "mark-pending",
        });
        if cell.first_to_solve {
            title = format!("{title}, {}", self.t("board-first")).into();
        }
        let mark = verdict.map_or(Mark::Pending, Mark::Decided);
        Some(Shown { mark, first: cell.first_to_solve, title: title.into_owned(), figure, below })
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
