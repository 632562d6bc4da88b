//! A contest's public board as files that need no server, with a file for each team's submissions. Must not know: where
//! they are written.

use std::collections::BTreeMap;

use askama::Template;

use super::assets;
use super::error::WebError;
use super::i18n::Lang;
use super::view::board::{BoardView, Filter, Links, team_file};
use super::view::mark::{Mark, MarkView, Style};
use super::view::standings;
use crate::domain::ids::TeamId;
use crate::domain::time::EpochMs;
use crate::service::Service;
use crate::service::scoreboard::BoardPage;
use crate::store::submission::SubmissionRow;
use crate::web::view::format::{exact, span};

#[derive(Template)]
#[template(path = "pages/board-folder.html")]
struct FolderPage {
    lang: Lang,
    contest_name: String,
    made: String,
    board: String,
}

#[derive(Template)]
#[template(path = "pages/board-folder-team.html")]
struct TeamPage<'a> {
    lang: Lang,
    contest_name: &'a str,
    team: &'a str,
    /// The same in the other language.
    other: String,
    rows: Vec<Try>,
}

/// A team's submission.
struct Try {
    /// Time of the contest.
    at: String,
    label: String,
    problem: String,
    mark: MarkView,
}

/// Names and contents; `None` when there is no such contest.
///
/// # Errors
/// [`WebError::Internal`].
pub async fn files(service: &Service, contest: &str, now: EpochMs) -> Result<Option<Vec<(String, String)>>, WebError> {
    let Some(page) = service.board(contest, None, now).await? else { return Ok(None) };
    let awards = service.awards(contest, None, now).await?;
    let folder = |lang: Lang| -> Result<String, WebError> {
        let board = BoardView::new(&page, lang, &Filter::default(), Links::Files(lang), 0)?.render()?;
        let page = FolderPage { lang, contest_name: page.contest.name.clone(), made: exact(now), board };
        Ok(page.render()?)
    };
    let mut files = vec![
        ("index.html".to_owned(), folder(Lang::English)?),
        ("index.zh.html".to_owned(), folder(Lang::Chinese)?),
        ("touchstone.css".to_owned(), assets::text("css/touchstone.css").unwrap_or_default()),
        ("scoreboard.csv".to_owned(), standings::csv(&page)),
        ("results.tsv".to_owned(), standings::results_tsv(&page, &awards)),
        ("standings.csv".to_owned(), standings::standings_csv(&page, &awards)),
    ];
    let mut of_teams: BTreeMap<TeamId, Vec<SubmissionRow>> = BTreeMap::new();
    let counts = |row: &SubmissionRow| {
        let passed = row.submitted.since(page.contest.start);
        !row.in_virtual_run && passed >= 0 && page.contest.duration_ms.is_none_or(|duration| passed < duration)
    };
    for row in service.submissions_of(None, page.contest.id, None).await?.into_iter().filter(counts) {
        of_teams.entry(row.team_id).or_default().push(row);
    }
    for row in &page.scoreboard.rows {
        let tries = of_teams.remove(&row.team).unwrap_or_default();
        for (lang, other) in [(Lang::English, Lang::Chinese), (Lang::Chinese, Lang::English)] {
            let shown = TeamPage {
                lang,
                contest_name: &page.contest.name,
                team: &row.name,
                other: team_file(row.team, other),
                rows: tries.iter().filter_map(|one| shown_try(&page, one, lang)).collect(),
            };
            files.push((team_file(row.team, lang), shown.render()?));
        }
    }
    Ok(Some(files))
}

/// `None` for a submission for a problem that the contest no longer has.
fn shown_try(page: &BoardPage, row: &SubmissionRow, lang: Lang) -> Option<Try> {
    let place = page.problems.iter().find(|place| place.problem_id == row.problem_id)?;
    Some(Try {
        at: span(row.submitted.since(page.contest.start)),
        label: place.label.clone(),
        problem: place.names.in_language(lang.code()).unwrap_or(place.slug.as_str()).to_owned(),
        mark: MarkView::new(Mark::of(row.state, row.verdict, row.tests_done, row.tests_total), Style::Full, lang),
    })
}
