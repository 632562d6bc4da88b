//! Awards: CLICS 2023-06's winner, medals, ranks, honorable mentions, first solutions and group winners, read off a
//! final board. Must not know: when a contest is final.

use std::collections::BTreeMap;

use super::icpc::{Row, Scoreboard, Scoring};
use crate::domain::ids::TeamId;

/// How many teams get each kind of medal at ICPC's finals.
pub const MEDALS: [(&str, Honour, u32); 3] = [
    ("gold-medal", Honour::GoldMedal, 4),
    ("silver-medal", Honour::SilverMedal, 4),
    ("bronze-medal", Honour::BronzeMedal, 4),
];

/// What an award is for, so that each page can say it in its reader's language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Honour {
    /// The first rank.
    Winner,
    /// A medal.
    GoldMedal,
    /// A medal.
    SilverMedal,
    /// A medal.
    BronzeMedal,
    /// This rank.
    Rank(u32),
    /// Something solved, but no medal.
    HonorableMention,
    /// The first solution of the problem with this letter.
    FirstToSolve(String),
    /// The best of the group with this name.
    GroupWinner(String),
}

impl Honour {
    /// What programs are told: CLICS has one language.
    pub fn citation(&self) -> String {
        match self {
            Self::Winner => "Contest winner".to_owned(),
            Self::GoldMedal => "Gold medal".to_owned(),
            Self::SilverMedal => "Silver medal".to_owned(),
            Self::BronzeMedal => "Bronze medal".to_owned(),
            Self::Rank(rank) => format!("Rank {rank}"),
            Self::HonorableMention => "Honorable mention".to_owned(),
            Self::FirstToSolve(label) => format!("First to solve problem {label}"),
            Self::GroupWinner(group) => format!("Winner of {group}"),
        }
    }
}

/// CLICS award.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Award {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub honour: Honour,
    /// Who has it.
    pub teams: Vec<TeamId>,
}

/// An award that other teams have than before. Teams come in the order of their board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwardChange {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub honour: Honour,
    /// Who has it now.
    pub won: Vec<TeamId>,
    /// Who had it before.
    pub lost: Vec<TeamId>,
}

/// The awards that moved, in the order of those afterwards; those that nobody has any more come last.
pub fn moved(before: &[Award], after: &[Award]) -> Vec<AwardChange> {
    let of = |all: &[Award], id: &str| -> Vec<TeamId> {
        all.iter().find(|award| award.id == id).map(|award| award.teams.clone()).unwrap_or_default()
    };
    let gone = before.iter().filter(|old| !after.iter().any(|new| new.id == old.id));
    let all = after.iter().chain(gone).map(|award| {
        let (old, new) = (of(before, &award.id), of(after, &award.id));
        AwardChange {
            id: award.id.clone(),
            honour: award.honour.clone(),
            won: new.iter().copied().filter(|team| !old.contains(team)).collect(),
            lost: old.iter().copied().filter(|team| !new.contains(team)).collect(),
        }
    });
    all.filter(|change| !change.won.is_empty() || !change.lost.is_empty()).collect()
}

/// A group that ranks apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its teams.
    pub teams: Vec<TeamId>,
}

/// The awards of a board. `problems`: id and letter of each, in the order of the cells. Awards that nobody has are left
/// out; a team without a solved problem (without a point) has none.
pub fn awards(board: &Scoreboard, scoring: Scoring, problems: &[(String, String)], groups: &[Group]) -> Vec<Award> {
    let scored: Vec<&Row> = board
        .rows
        .iter()
        .filter(|row| match scoring {
            Scoring::PassFail => row.num_solved > 0,
            Scoring::Score => row.points > 0,
        })
        .collect();
    let having = |wanted: &dyn Fn(&Row) -> bool| -> Vec<TeamId> {
        scored.iter().filter(|row| wanted(row)).map(|row| row.team).collect()
    };
    let first = having(&|row| row.rank == 1);
    let mut all = vec![Award { id: "winner".to_owned(), honour: Honour::Winner, teams: first }];
    let mut last = 0;
    for (id, honour, count) in MEDALS {
        let ranks = last + 1..=last + count;
        let teams = having(&|row| ranks.contains(&row.rank));
        all.push(Award { id: id.to_owned(), honour, teams });
        last += count;
    }
    let mut ranks: BTreeMap<u32, Vec<TeamId>> = BTreeMap::new();
    for row in scored.iter().filter(|row| row.rank <= last) {
        ranks.entry(row.rank).or_default().push(row.team);
    }
    all.extend(ranks.into_iter().map(|(rank, teams)| Award {
        id: format!("rank-{rank}"),
        honour: Honour::Rank(rank),
        teams,
    }));
    all.push(Award {
        id: "honorable-mention".to_owned(),
        honour: Honour::HonorableMention,
        teams: having(&|row| row.rank > last),
    });
    for (index, (id, label)) in problems.iter().enumerate() {
        all.push(Award {
            id: format!("first-to-solve-{id}"),
            honour: Honour::FirstToSolve(label.clone()),
            teams: having(&|row| row.cells.get(index).is_some_and(|cell| cell.first_to_solve)),
        });
    }
    for group in groups {
        let best = scored.iter().filter(|row| group.teams.contains(&row.team)).map(|row| row.rank).min();
        all.push(Award {
            id: format!("group-winner-{}", group.id),
            honour: Honour::GroupWinner(group.name.clone()),
            teams: having(&|row| Some(row.rank) == best && group.teams.contains(&row.team)),
        });
    }
    all.retain(|award| !award.teams.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::ProblemId;
    use crate::ranking::icpc::Cell;

    fn row(rank: u32, team: i64, num_solved: u32, first: bool) -> Row {
        let cell = Cell {
            num_judged: num_solved,
            num_pending: 0,
            solved_at: (num_solved > 0).then_some(1),
            first_to_solve: first,
            points: 0,
            scored_at: None,
        };
        Row {
            rank,
            team: TeamId(team),
            name: format!("team {team}").into(),
            num_solved,
            total_time: 0,
            last_solved: None,
            points: 0,
            cells: vec![cell].into(),
        }
    }

    #[test]
    fn awards_move_from_team_to_team() {
        let award = |id: &str, teams: &[i64]| Award {
            id: id.to_owned(),
            honour: Honour::GroupWinner(id.to_owned()),
            teams: teams.iter().copied().map(TeamId).collect(),
        };
        let before = [award("winner", &[1]), award("gold", &[1, 2]), award("silver", &[3]), award("bronze", &[4])];
        let after = [award("winner", &[2]), award("gold", &[2, 1]), award("silver", &[3, 5]), award("group", &[5])];
        let shown: Vec<_> = moved(&before, &after)
            .into_iter()
            .map(|one| {
                let ids = |teams: Vec<TeamId>| teams.into_iter().map(|team| team.0).collect::<Vec<_>>();
                (one.id, ids(one.won), ids(one.lost))
            })
            .collect();
        let line = |id: &str, won: &[i64], lost: &[i64]| (id.to_owned(), won.to_vec(), lost.to_vec());
        let wanted = [
            line("winner", &[2], &[1]),
            line("silver", &[5], &[]),
            line("group", &[5], &[]),
            line("bronze", &[], &[4]),
        ];
        assert_eq!(shown, wanted);
        assert_eq!(moved(&after, &after), []);
    }

    #[test]
    fn awards_follow_the_ranks() {
        let mut rows: Vec<Row> = (1..=14).map(|rank| row(rank, i64::from(rank), 15 - rank, rank == 3)).collect();
        // Two share the fourth rank: both have gold, and there is one silver less.
        rows[4].rank = 4;
        rows.push(row(15, 15, 0, false));
        let board = Scoreboard { problems: vec![ProblemId(7)], rows };
        let group = |id: &str, teams: &[i64]| Group {
            id: id.to_owned(),
            name: format!("Group {id}"),
            teams: teams.iter().copied().map(TeamId).collect(),
        };
        let groups = [group("north", &[9, 4, 5]), group("guests", &[15])];
        let all = awards(&board, Scoring::PassFail, &[("sum".to_owned(), "A".to_owned())], &groups);
        let of = |id: &str| -> Vec<i64> {
            all.iter().filter(|award| award.id == id).flat_map(|award| &award.teams).map(|team| team.0).collect()
        };
        assert_eq!(of("winner"), [1]);
        assert_eq!(of("gold-medal"), [1, 2, 3, 4, 5]);
        assert_eq!(of("silver-medal"), [6, 7, 8]);
        assert_eq!(of("bronze-medal"), [9, 10, 11, 12]);
        assert_eq!(of("rank-4"), [4, 5]);
        assert_eq!(of("honorable-mention"), [13, 14]);
        assert_eq!(of("first-to-solve-sum"), [3]);
        assert_eq!(of("group-winner-north"), [4, 5]);
        assert!(!all.iter().any(|award| award.id == "group-winner-guests"), "nobody there solved anything");
    }
}
