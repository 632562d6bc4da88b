//! What is different between two renderings of a board, as markup: its head, the rows that changed, and the order and ranks
//! of all rows. `static/js/live.js` puts it into the board that a page shows. Must not know: what is in a row.

use std::collections::HashMap;
use std::fmt::Write as _;

/// How a team's row begins.
const ROW: &str = "<tr data-team=\"";

/// A rendering taken apart.
struct Parts<'a> {
    /// What stands before the table's head, with the notice of a freeze.
    before: &'a str,
    head: &'a str,
    rows: Vec<Row<'a>>,
}

#[derive(Clone, Copy, PartialEq)]
struct Row<'a> {
    team: &'a str,
    rank: &'a str,
    /// All behind the rank.
    rest: &'a str,
    whole: &'a str,
}

impl<'a> Row<'a> {
    /// `None` where it isn't `<tr data-team="TEAM"><td ...>RANK</td>...`.
    fn read(whole: &'a str) -> Option<Self> {
        let (team, behind) = whole.strip_prefix(ROW)?.split_once('"')?;
        let (_, behind) = behind.split_once("<td")?;
        let (_, behind) = behind.split_once('>')?;
        let (rank, rest) = behind.split_once("</td>")?;
        Some(Self { team, rank, rest, whole })
    }
}

impl<'a> Parts<'a> {
    /// `None` for a board without rows.
    fn read(markup: &'a str) -> Option<Self> {
        let (before, behind) = markup.split_once("<thead>")?;
        let (head, behind) = behind.split_once("</thead>")?;
        let (_, body) = behind.split_once("<tbody>")?;
        let (body, _) = body.split_once("</tbody>")?;
        let mut rows = Vec::new();
        let mut rest = body;
        while !rest.is_empty() {
            let end = rest.find("</tr>")? + "</tr>".len();
            rows.push(Row::read(rest[..end].trim_start())?);
            rest = rest[end..].trim_start();
        }
        Some(Self { before, head, rows })
    }
}

/// What makes `new` of `old`; `None` where the whole board is better: the freeze began or ended, or half of it changed.
pub fn between(old: &str, new: &str) -> Option<String> {
    let (earlier, now) = (Parts::read(old)?, Parts::read(new)?);
    if earlier.before != now.before {
        return None;
    }
    let known: HashMap<&str, &str> = earlier.rows.iter().map(|row| (row.team, row.rest)).collect();
    let mut change = format!("<table><thead>{}</thead><tbody data-order=\"", now.head);
    for (number, row) in now.rows.iter().enumerate() {
        let gap = if number == 0 { "" } else { " " };
        write!(change, "{gap}{}:{}", row.team, row.rank).ok()?;
    }
    change.push_str("\">");
    for row in now.rows.iter().filter(|row| known.get(row.team) != Some(&row.rest)) {
        change.push_str(row.whole);
        if change.len() > new.len() / 2 {
            return None;
        }
    }
    change.push_str("</tbody></table>");
    Some(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(notice: &str, rows: &[(u32, u32, &str)]) -> String {
        let mut body = String::new();
        // As wide as rows are: next to them the order of all is short.
        let wide = "-".repeat(400);
        for (team, rank, cells) in rows {
            let begin = format!("<tr data-team=\"{team}\"><td class=\"figure rank\">{rank}</td>");
            write!(body, "{begin}<td>{cells}</td><td>{wide}</td></tr>").unwrap();
        }
        let head = "<thead><th>head</th></thead>";
        format!("{notice}<table class=\"board\">{head}\n<!--own-->\n<tbody>{body}</tbody></table>")
    }

    /// What `live.js` does with a change, on teams, ranks and cells.
    fn put(rows: &[(u32, u32, &str)], change: &str) -> Vec<(u32, u32, String)> {
        let order = change.split_once("data-order=\"").unwrap().1.split_once('"').unwrap().0;
        order
            .split(' ')
            .map(|one| {
                let (team, rank) = one.split_once(':').unwrap();
                let sent = change.split(ROW).skip(1).find(|row| row.starts_with(&format!("{team}\"")));
                let cells = match sent {
                    Some(row) => row.split("<td>").nth(1).unwrap().split("</td>").next().unwrap().to_owned(),
                    None => rows.iter().find(|row| row.0.to_string() == team).unwrap().2.to_owned(),
                };
                (team.parse().unwrap(), rank.parse().unwrap(), cells)
            })
            .collect()
    }

    #[test]
    fn a_change_makes_the_new_board_of_the_old() {
        let old = [(1, 1, "a"), (2, 2, "b"), (3, 3, "c")];
        for new in [
            vec![(1, 1, "a"), (2, 2, "b"), (3, 3, "d")],
            vec![(3, 1, "d"), (1, 2, "a"), (2, 3, "b")],
            vec![(1, 1, "a"), (3, 2, "c")],
            vec![(4, 1, "new"), (1, 2, "a"), (2, 2, "b"), (3, 4, "c")],
        ] {
            let change = between(&board("", &old), &board("", &new)).unwrap();
            let wanted: Vec<_> = new.iter().map(|row| (row.0, row.1, row.2.to_owned())).collect();
            assert_eq!(put(&old, &change), wanted);
            let changed = new.iter().filter(|row| !old.iter().any(|one| one.0 == row.0 && one.2 == row.2)).count();
            assert_eq!(change.matches("<tr").count(), changed, "a new rank alone is not a new row");
        }
    }

    #[test]
    fn the_whole_board_goes_where_there_is_no_small_change() {
        let rows = [(1, 1, "a"), (2, 2, "b")];
        assert!(between(&board("", &rows), &board("<p>frozen</p>", &rows)).is_none());
        assert!(between("<p>nobody is here</p>", &board("", &rows)).is_none());
        let long = "x".repeat(2_000);
        assert!(between(&board("", &rows), &board("", &[(1, 1, &long), (2, 2, &long)])).is_none());
    }
}
