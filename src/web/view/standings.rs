//! A board as tables for other programs: plain CSV, ICPC's `results.tsv` and the `standings.csv` that ICPC's registration
//! system takes. Must not know: who may see the board.

use std::fmt::Write as _;

use crate::ranking::awards::{Award, Honour};
use crate::ranking::icpc::{Row, Scoring};
use crate::service::scoreboard::BoardPage;
use crate::store::contest_team::ContestTeam;
use crate::web::view::board_row::points;

/// The board with a column for each problem: tries and, once solved, the minute.
pub fn csv(page: &BoardPage) -> String {
    let mut out = String::from("rank,team,organization,solved,time,points");
    for place in &page.problems {
        let _ = write!(out, ",{}", cell(&place.label));
    }
    out.push_str("\r\n");
    for row in &page.scoreboard.rows {
        let organization = team(page, row).and_then(|team| team.organization.clone()).unwrap_or_default();
        let _ = write!(
            out,
            "{},{},{},{},{},{}",
            row.rank,
            cell(&row.name),
            cell(&organization),
            row.num_solved,
            row.total_time,
            if page.scoring == Scoring::Score { points(row.points) } else { String::new() }
        );
        for one in row.cells.iter() {
            let tries = one.num_judged + one.num_pending;
            let _ = match one.solved_at {
                Some(minute) => write!(out, ",{tries}/{minute}"),
                None if tries == 0 => write!(out, ","),
                None => write!(out, ",{tries}/-"),
            };
        }
        out.push_str("\r\n");
    }
    out
}

/// ICPC `results.tsv`: id, rank, award, solved, time, minute of the last solution, group winner.
pub fn results_tsv(page: &BoardPage, awards: &[Award]) -> String {
    let mut out = String::from("results\t1\n");
    for row in &page.scoreboard.rows {
        let rank = if row.num_solved > 0 { row.rank.to_string() } else { String::new() };
        let _ = writeln!(
            out,
            "{}\t{rank}\t{}\t{}\t{}\t{}\t{}",
            plain(&icpc_id(page, row)),
            award(row, awards),
            row.num_solved,
            row.total_time,
            row.last_solved.unwrap_or_default(),
            plain(&group_won(row, awards)),
        );
    }
    out
}

/// The `standings.csv` of ICPC's registration system.
pub fn standings_csv(page: &BoardPage, awards: &[Award]) -> String {
    let mut out =
        String::from("teamId,rank,medalCitation,problemsSolved,totalTime,lastProblemTime,siteCitation,citation\r\n");
    for row in &page.scoreboard.rows {
        let medal = match award(row, awards) {
            "Gold Medal" => "gold",
            "Silver Medal" => "silver",
            "Bronze Medal" => "bronze",
            _ => "",
        };
        let rank = if row.num_solved > 0 { row.rank.to_string() } else { String::new() };
        let citation = if row.num_solved > 0 && medal.is_empty() { "Honorable Mention" } else { "" };
        let _ = write!(
            out,
            "{},{rank},{medal},{},{},{},{},{citation}\r\n",
            cell(&icpc_id(page, row)),
            row.num_solved,
            row.total_time,
            row.last_solved.unwrap_or_default(),
            cell(&group_won(row, awards)),
        );
    }
    out
}

fn team<'a>(page: &'a BoardPage, row: &Row) -> Option<&'a ContestTeam> {
    page.teams.iter().find(|team| team.id == row.team)
}

fn icpc_id(page: &BoardPage, row: &Row) -> String {
    let known = team(page, row).and_then(|team| team.icpc_id.clone().or_else(|| team.external_id.clone()));
    known.unwrap_or_else(|| row.team.to_string())
}

fn award(row: &Row, awards: &[Award]) -> &'static str {
    let has = |id: &str| awards.iter().any(|award| award.id == id && award.teams.contains(&row.team));
    match () {
        () if has("gold-medal") => "Gold Medal",
        () if has("silver-medal") => "Silver Medal",
        () if has("bronze-medal") => "Bronze Medal",
        () if row.num_solved > 0 => "Ranked",
        () => "Honorable",
    }
}

fn group_won(row: &Row, awards: &[Award]) -> String {
    let group = |award: &Award| match &award.honour {
        Honour::GroupWinner(group) if award.teams.contains(&row.team) => Some(group.clone()),
        _ => None,
    };
    awards.iter().find_map(group).unwrap_or_default()
}

/// RFC 4180. A spreadsheet takes a text that begins like a formula for one, so that gets an apostrophe.
fn cell(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

fn plain(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn cells_are_quoted_and_are_no_formulas() {
        for (text, written) in [("a", "a"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("=1+1", "'=1+1")] {
            assert_eq!(cell(text), written);
        }
    }
}
