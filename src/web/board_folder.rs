//! A contest's public board as files that need no server. Must not know: where they are written.

use askama::Template;

use super::assets;
use super::error::WebError;
use super::i18n::Lang;
use super::view::board::{BoardView, Filter};
use super::view::standings;
use crate::domain::time::EpochMs;
use crate::service::Service;
use crate::web::view::format::exact;

#[derive(Template)]
#[template(path = "pages/board-folder.html")]
struct FolderPage {
    lang: Lang,
    contest_name: String,
    made: String,
    board: String,
}

/// Names and contents; `None` when there is no such contest.
///
/// # Errors
/// [`WebError::Internal`].
pub async fn files(
    service: &Service,
    contest: &str,
    now: EpochMs,
) -> Result<Option<Vec<(&'static str, String)>>, WebError> {
    let Some(page) = service.board(contest, None, now).await? else { return Ok(None) };
    let awards = service.awards(contest, None, now).await?;
    let folder = |lang: Lang| -> Result<String, WebError> {
        let board = BoardView::new(&page, lang, &Filter::default(), None).render()?;
        let page = FolderPage { lang, contest_name: page.contest.name.clone(), made: exact(now), board };
        Ok(page.render()?)
    };
    Ok(Some(vec![
        ("index.html", folder(Lang::English)?),
        ("index.zh.html", folder(Lang::Chinese)?),
        ("touchstone.css", assets::text("css/touchstone.css").unwrap_or_default()),
        ("scoreboard.csv", standings::csv(&page)),
        ("results.tsv", standings::results_tsv(&page, &awards)),
        ("standings.csv", standings::standings_csv(&page, &awards)),
    ]))
}
