//! A ranked board as markup. It depends on the language and the filter alone, never on who looks, so that one rendering
//! serves every viewer. Must not know: how ranks come about, who is logged in.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use askama::Template;
use axum::body::Bytes;

use crate::domain::ids::{ContestId, EventId, TeamId};
use crate::ranking::icpc::{Row, Scoring, View};
use crate::service::scoreboard::BoardPage;
use crate::store::contest_team::{ContestTeam, Organization};
use crate::web::i18n::{Lang, Message};
use crate::web::view::board_change;
use crate::web::view::board_row::RowView;
use crate::web::view::format;

/// What a board that begins with its first rows may weigh with its filter, bytes: with what is around them a page stays
/// below 60 KB.
const FIRST_BYTES: usize = 51_000;
/// What a column's head or a choice of the filter weighs beside its texts, bytes.
const AROUND_TEXT: usize = 190;
/// So many rows are seen without scrolling; `static/js/live.js` knows it too.
const SEEN_ROWS: usize = 5;
/// Rank, name, problems solved, time.
const FIXED_COLUMNS: usize = 4;
/// Where the viewer's own row goes in a rendering that serves every viewer.
const OWN_ROW: &str = "<!--own-->";

/// Which teams are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Those of this group; empty: all.
    pub group: String,
    /// Those of this organization; empty: all.
    pub organization: String,
    /// Only so many of them at most, from the top, and no more than go into a page of 60 KB; `None`: all.
    pub first: Option<usize>,
}

impl Filter {
    fn takes(&self, team: &ContestTeam) -> bool {
        (self.group.is_empty() || team.groups.split(' ').any(|group| group == self.group))
            && (self.organization.is_empty() || team.organization.as_ref() == Some(&self.organization))
    }

    /// Whether every team is taken, as far as the first ones go.
    const fn takes_all(&self) -> bool {
        self.group.is_empty() && self.organization.is_empty()
    }

    /// The filter as the query of an address; empty for the board as it is first shown.
    pub fn query(&self) -> String {
        let rows = if self.first.is_none() { "all" } else { "" };
        format::query(&[("group", &self.group), ("organization", &self.organization), ("rows", rows)])
    }
}

/// The board's table.
#[derive(Template)]
#[template(path = "partials/board.html")]
pub struct BoardView {
    lang: Lang,
    frozen: Option<String>,
    columns: Vec<Column>,
    /// As markup.
    rows: Vec<String>,
    scoring: Scoring,
    links: Links,
    /// How many rows are left out, in words, and the query that shows them.
    more: Option<(String, String)>,
}

/// Where a board's links lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Links {
    /// There are none.
    None,
    /// To the contest's pages; this stands before their addresses.
    Site(String),
    /// Rows to the files of [`team_file`] in this language.
    Files(Lang),
}

impl Links {
    pub(super) fn of_team(&self, team: TeamId) -> Option<String> {
        match self {
            Self::None => None,
            Self::Site(base) => Some(format!("{base}/submissions?team={team}")),
            Self::Files(lang) => Some(team_file(team, *lang)),
        }
    }

    /// Whether rows lead anywhere.
    pub(super) const fn has_teams(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// What stands before the addresses of the contest's pages.
    fn site(&self) -> Option<&str> {
        match self {
            Self::Site(base) => Some(base),
            Self::None | Self::Files(_) => None,
        }
    }
}

/// The file of a team's submissions in a board that is a folder.
pub fn team_file(team: TeamId, lang: Lang) -> String {
    match lang {
        Lang::English => format!("team-{team}.html"),
        Lang::Chinese => format!("team-{team}.zh.html"),
    }
}

/// One row, to stand on top.
#[derive(Template)]
#[template(path = "partials/board-own.html")]
struct OwnRow {
    lang: Lang,
    /// As markup.
    row: String,
    columns: usize,
    /// Whether it says more than the board below.
    known: bool,
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

impl Column {
    fn bytes(&self) -> usize {
        AROUND_TEXT + self.href.as_ref().map_or(0, String::len) + self.title.len()
    }
}

impl BoardView {
    /// The board with its problems' letters, in the order of the cells; only the teams that the filter takes. So many
    /// bytes stand beside it in the page.
    ///
    /// # Errors
    /// The template's.
    pub fn new(
        page: &BoardPage,
        lang: Lang,
        filter: &Filter,
        links: Links,
        beside: usize,
    ) -> Result<Self, askama::Error> {
        let board = &page.scoreboard;
        let taken: Option<HashSet<TeamId>> = (!filter.takes_all())
            .then(|| page.teams.iter().filter(|team| filter.takes(team)).map(|team| team.id).collect());
        let shown = |row: &&Row| taken.as_ref().is_none_or(|taken| taken.contains(&row.team));
        let rows: Vec<&Row> = board.rows.iter().filter(shown).collect();
        let columns = board.problems.iter().enumerate().map(|(index, id)| {
            let place = page.problems.iter().find(|place| place.problem_id == *id);
            let cells = || rows.iter().filter_map(move |row| row.cells.get(index));
            Column {
                href: links.site().zip(place).map(|(base, place)| format!("{base}/problems/{}", place.slug)),
                label: place.map(|place| place.label.clone()).unwrap_or_default(),
                rgb: place.map(|place| place.rgb.clone()).unwrap_or_default(),
                title: place.and_then(|place| place.names.in_language(lang.code())).unwrap_or_default().to_owned(),
                solved: cells().filter(|cell| cell.solved()).count(),
                tried: cells().filter(|cell| cell.num_judged > 0 || cell.num_pending > 0).count(),
            }
        });
        // The columns count every team.
        let columns: Vec<Column> = columns.collect();
        let (mut markup, mut bytes) = (Vec::new(), beside + columns.iter().map(Column::bytes).sum::<usize>());
        for row in rows.iter().take(filter.first.unwrap_or(usize::MAX)) {
            let row = RowView { lang, row, scoring: page.scoring, links: &links }.render()?;
            // Somebody is shown, however long the names are; and there is room for the viewer's own row.
            bytes += row.len();
            if filter.first.is_some() && bytes + row.len() > FIRST_BYTES && markup.len() >= SEEN_ROWS {
                break;
            }
            markup.push(row);
        }
        let left_out = rows.len() - markup.len();
        let whole = Filter { first: None, ..filter.clone() };
        let more = (links.site().is_some() && left_out > 0).then(|| {
            let words = Message::new("board-left-out").with("count", left_out as u64);
            (lang.say(&words), whole.query())
        });
        let frozen = page.frozen.then(|| page.contest.freeze_ms.unwrap_or_default() / 60_000);
        let frozen = frozen.map(|minutes| lang.say(&Message::new("board-frozen").with("minutes", minutes)));
        Ok(Self { lang, frozen, columns, rows: markup, scoring: page.scoring, links, more })
    }

    /// How many rows there are.
    const fn rows(&self) -> usize {
        self.rows.len()
    }

    fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.lang.text(key)
    }
}

impl OwnRow {
    fn t(&self, key: &'static str) -> Cow<'static, str> {
        self.lang.text(key)
    }
}

/// A board as markup without a viewer's own row: one copy for all who see it, handed on without copying.
#[derive(Debug)]
pub struct RenderedBoard {
    /// Up to where a viewer's own row goes, and from there on.
    parts: [Bytes; 2],
    /// The whole as a server-sent event.
    event: Bytes,
    /// What makes this board of an earlier one, as a server-sent event.
    change: Option<(Version, Bytes)>,
    /// How many of the board's rows it has.
    rows: usize,
}

impl RenderedBoard {
    fn new(html: &str, rows: usize) -> Self {
        let (before, after) = html.split_once(OWN_ROW).unwrap_or((html, ""));
        let parts = [before.to_owned().into(), after.to_owned().into()];
        Self { parts, event: sent("part", html), change: None, rows }
    }

    /// The same, with what makes it of an earlier one where that is far less.
    fn made_of(mut self, earlier: &Kept<Self>) -> Self {
        let markup = |board: &Self| board.parts.iter().map(|part| String::from_utf8_lossy(part).into_owned()).collect();
        let (old, new): (String, String) = (markup(&earlier.made), markup(&self));
        self.change = board_change::between(&old, &new).map(|change| (earlier.version, sent("rows", &change)));
        self
    }

    /// As a server-sent event for somebody who has this version already: `rows` with what is different, if that is known,
    /// else `part` with the whole board.
    pub fn event(&self, has: Option<Version>) -> Bytes {
        match &self.change {
            Some((from, change)) if has == Some(*from) => change.clone(),
            _ => self.event.clone(),
        }
    }

    /// How many of the board's rows it has.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The markup in pieces, with the viewer's own row on top, too, unless it is among the first and seen anyway.
    ///
    /// # Errors
    /// The template's.
    pub fn pieces(&self, page: &BoardPage, own: Own<'_>, lang: Lang, base: &str) -> Result<[Bytes; 3], askama::Error> {
        let own = own.on_top(page, SEEN_ROWS, lang, base)?;
        let [before, after] = self.parts.clone();
        Ok([before, own.unwrap_or_default().into(), after])
    }
}

/// Whose row stands on top.
#[derive(Debug, Clone, Copy, Default)]
pub struct Own<'a> {
    /// The viewer's team.
    pub team: Option<TeamId>,
    /// Its row where it knows more of it than the board shows.
    pub known: Option<&'a Row>,
}

impl Own<'_> {
    /// The row as markup: if it says more than the board, or if so many others or more are before it.
    fn on_top(self, page: &BoardPage, behind: usize, lang: Lang, base: &str) -> Result<Option<String>, askama::Error> {
        let found = || page.scoreboard.rows.iter().enumerate().find(|(_, row)| Some(row.team) == self.team);
        let row = self.known.or_else(|| found().filter(|(index, _)| *index >= behind).map(|(_, row)| row));
        let Some(row) = row else { return Ok(None) };
        let (columns, links) = (row.cells.len() + FIXED_COLUMNS, &Links::Site(base.to_owned()));
        let row = RowView { lang, row, scoring: page.scoring, links }.render()?;
        Ok(Some(OwnRow { lang, row, columns, known: self.known.is_some() }.render()?))
    }

    /// The row as a server-sent event `own`, where the board that goes to everybody doesn't have it.
    ///
    /// # Errors
    /// The template's.
    pub fn event(
        self,
        page: &BoardPage,
        shown: &RenderedBoard,
        lang: Lang,
        base: &str,
    ) -> Result<Option<Bytes>, askama::Error> {
        Ok(self.on_top(page, shown.rows(), lang, base)?.map(|row| sent("own", &row)))
    }
}

/// A server-sent event of this name.
pub fn sent(name: &str, markup: &str) -> Bytes {
    let mut event = String::with_capacity(markup.len() + markup.len() / 64 + 32);
    event.extend(["event: ", name, "\n"]);
    // A line of an event ends at any of these.
    for line in markup.split(['\n', '\r']) {
        event.extend(["data: ", line, "\n"]);
    }
    event.push('\n');
    event.into()
}

/// What the filter of a board offers: ids and names.
#[derive(Debug, Default)]
pub struct Offered {
    /// Groups with a team on the board.
    pub groups: Vec<(String, String)>,
    /// Organizations with a team on the board.
    pub organizations: Vec<(String, String)>,
}

impl Offered {
    /// About what the choices weigh in a page.
    fn bytes(&self) -> usize {
        let around = AROUND_TEXT / 5;
        self.groups.iter().chain(&self.organizations).map(|(id, name)| around + id.len() + name.len()).sum()
    }

    /// Of these organizations, and of the board's groups, those that have a team on it.
    pub fn new(page: &BoardPage, organizations: Vec<Organization>) -> Self {
        let shown: HashSet<TeamId> = page.scoreboard.rows.iter().map(|row| row.team).collect();
        let teams = || page.teams.iter().filter(|team| shown.contains(&team.id));
        let grouped: HashSet<&str> = teams().flat_map(|team| team.groups.split(' ')).collect();
        let homes: HashSet<&str> = teams().filter_map(|team| team.organization.as_deref()).collect();
        let groups = page.groups.iter().filter(|group| !group.hidden && grouped.contains(group.external_id.as_str()));
        let organizations = organizations.into_iter().filter(|one| homes.contains(one.external_id.as_str()));
        Self {
            groups: groups.map(|group| (group.external_id.clone(), group.name.clone())).collect(),
            organizations: organizations.map(|one| (one.external_id, one.name)).collect(),
        }
    }
}

/// Boards as markup, kept until they change: rendered once per change, language and filter, not once per viewer.
#[derive(Debug, Default)]
pub struct RenderedBoards {
    kept: Mutex<HashMap<Key, Kept<RenderedBoard>>>,
    offered: Mutex<HashMap<(ContestId, View), Kept<Offered>>>,
}

type Key = (ContestId, Lang, View, Filter);

/// Something made from a board, and what the board was then.
#[derive(Debug)]
struct Kept<T> {
    version: Version,
    made: Arc<T>,
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self { version: self.version, made: Arc::clone(&self.made) }
    }
}

/// What a board holds, whether the freeze is on, and how many problems are shown.
pub type Version = (EventId, bool, usize);

/// The version of a board.
pub fn version(page: &BoardPage) -> Version {
    (page.version, page.frozen, page.problems.len())
}

/// A version as it stands in an address.
pub fn version_code((event, frozen, problems): Version) -> String {
    format!("{event}-{}-{problems}", u8::from(frozen))
}

/// The version that [`version_code`] wrote.
pub fn read_version(code: &str) -> Option<Version> {
    let mut parts = code.splitn(3, '-');
    let event = EventId(parts.next()?.parse().ok()?);
    Some((event, parts.next()? == "1", parts.next()?.parse().ok()?))
}

/// A team's own view of a frozen board is one viewer's: nothing made from it is kept.
const fn is_shared(page: &BoardPage) -> bool {
    !matches!(page.view, View::Team(_))
}

fn find<K: Eq + Hash, T>(kept: &Mutex<HashMap<K, Kept<T>>>, key: &K, version: Version) -> Option<Arc<T>> {
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.get(key).filter(|kept| kept.version == version).map(|kept| Arc::clone(&kept.made))
}

fn keep<K: Eq + Hash, T>(kept: &Mutex<HashMap<K, Kept<T>>>, key: K, version: Version, made: &Arc<T>) {
    let entry = Kept { version, made: Arc::clone(made) };
    kept.lock().unwrap_or_else(PoisonError::into_inner).insert(key, entry);
}

impl RenderedBoards {
    /// The board's markup.
    ///
    /// # Errors
    /// The template's.
    pub fn rendered(
        &self,
        page: &BoardPage,
        lang: Lang,
        filter: &Filter,
        base: &str,
    ) -> Result<Arc<RenderedBoard>, askama::Error> {
        let key = (page.contest.id, lang, page.view, filter.clone());
        if let Some(made) = find(&self.kept, &key, version(page)).filter(|_| is_shared(page)) {
            return Ok(made);
        }
        let beside = self.offered(page).map_or(0, |offered| offered.bytes());
        let view = BoardView::new(page, lang, filter, Links::Site(base.to_owned()), beside)?;
        let mut made = RenderedBoard::new(&view.render()?, view.rows());
        if is_shared(page) {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
            if let Some(earlier) = kept {
                made = made.made_of(&earlier);
            }
        }
        let made = Arc::new(made);
        if is_shared(page) {
            keep(&self.kept, key, version(page), &made);
        }
        Ok(made)
    }

    /// What the filter of this board offers, if it was kept.
    pub fn offered(&self, page: &BoardPage) -> Option<Arc<Offered>> {
        find(&self.offered, &(page.contest.id, page.view), version(page)).filter(|_| is_shared(page))
    }

    /// Keeps what the filter of this board offers.
    pub fn offer(&self, page: &BoardPage, offered: Offered) -> Arc<Offered> {
        let offered = Arc::new(offered);
        if is_shared(page) {
            keep(&self.offered, (page.contest.id, page.view), version(page), &offered);
        }
        offered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_every_line_of_the_markup() {
        let board = RenderedBoard::new("<p>a\r\n<!--own-->b", 0);
        assert_eq!(board.event(None), "event: part\ndata: <p>a\ndata: \ndata: <!--own-->b\n\n");
        assert_eq!(board.parts, ["<p>a\r\n", "b"]);
    }

    #[test]
    fn whoever_has_the_board_before_gets_what_is_different_and_all_others_the_whole() {
        let html = |rank: u32, solved: u32| {
            let others: Vec<String> = (2..30)
                .map(|team| format!("<tr data-team=\"{team}\"><td>{team}</td><td>{}</td></tr>", "x".repeat(50)))
                .collect();
            let own = format!("<tr data-team=\"1\"><td>{rank}</td><td>{solved}</td></tr>");
            let body = [own, others.concat()].concat();
            format!("<table class=\"board\"><thead></thead>\n{OWN_ROW}\n<tbody>{body}</tbody></table>")
        };
        let first = (EventId(4), false, 2);
        let earlier = Kept { version: first, made: Arc::new(RenderedBoard::new(&html(1, 0), 29)) };
        let board = RenderedBoard::new(&html(1, 1), 29).made_of(&earlier);
        let change = String::from_utf8(board.event(Some(first)).to_vec()).unwrap();
        assert!(change.starts_with("event: rows\n") && change.matches("<tr").count() == 1, "{change}");
        for has in [None, Some((EventId(3), false, 2)), Some((EventId(4), true, 2))] {
            assert!(board.event(has).starts_with(b"event: part\n"));
        }
    }

    #[test]
    fn a_version_is_read_as_it_was_written() {
        for version in [(EventId(0), false, 0), (EventId(77), true, 13)] {
            assert_eq!(read_version(&version_code(version)), Some(version));
        }
        for other in ["", "1", "1-0", "x-0-1", "1-0-x"] {
            assert_eq!(read_version(other), None, "{other}");
        }
    }
}
