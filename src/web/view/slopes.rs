//! Ranks before and after as lines from left to right: who rises, who falls. Must not know: how ranks come about; the
//! table beside it has them exactly.

use std::fmt;

use crate::ranking::difference::Moved;

/// Teams that are drawn at most: more lines can't be told apart.
const DRAWN: usize = 24;
/// From rank to rank, in the picture's units.
const STEP: u32 = 14;
/// Where the lines begin and end.
const LEFT: u32 = 34;
const RIGHT: u32 = 206;

/// A picture of ranks, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slopes {
    lines: Vec<(u32, u32)>,
    ranks: Vec<u32>,
    label: String,
}

impl Slopes {
    /// Lines for the teams whose rank changes; nothing where none does.
    pub fn new(moved: &[Moved], label: String) -> Option<Self> {
        let ranks = moved.iter().filter_map(|one| Some((one.before?.rank, one.after?.rank)));
        let lines: Vec<(u32, u32)> = ranks.filter(|(before, after)| before != after).take(DRAWN).collect();
        let mut ranks: Vec<u32> = lines.iter().flat_map(|&(before, after)| [before, after]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        (!lines.is_empty()).then_some(Self { lines, ranks, label })
    }

    /// The height of a rank: ranks that nobody has are left out.
    fn y(&self, rank: u32) -> u32 {
        let place = self.ranks.iter().position(|one| *one == rank).unwrap_or_default();
        10 + u32::try_from(place).unwrap_or_default() * STEP
    }
}

impl askama::filters::HtmlSafe for Slopes {}

impl fmt::Display for Slopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height = self.ranks.last().map_or(20, |last| self.y(*last) + 10);
        let mut label = String::new();
        super::highlight::escape(&mut label, &self.label);
        write!(f, "<svg class=\"slopes\" viewBox=\"0 0 240 {height}\" role=\"img\" aria-label=\"{label}\">")?;
        for &(before, after) in &self.lines {
            let way = if after < before { "up" } else { "down" };
            let (from, to) = (self.y(before), self.y(after));
            write!(f, "<path data-way=\"{way}\" d=\"M{LEFT} {from}L{RIGHT} {to}\"/>")?;
            write!(f, "<circle data-way=\"{way}\" cx=\"{RIGHT}\" cy=\"{to}\" r=\"3\"/>")?;
        }
        for &rank in &self.ranks {
            let y = self.y(rank) + 4;
            write!(f, "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{rank}</text>", LEFT - 8)?;
            write!(f, "<text x=\"{}\" y=\"{y}\">{rank}</text>", RIGHT + 8)?;
        }
        f.write_str("</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::TeamId;
    use crate::ranking::difference::Standing;

    fn moved(before: Option<u32>, after: Option<u32>) -> Moved {
        let standing = |rank: u32| Standing { rank, num_solved: 1, total_time: 1, points: 0 };
        let (before, after) = (before.map(standing), after.map(standing));
        Moved { team: TeamId(1), name: "x".into(), before, after, firsts_won: Vec::new(), firsts_lost: Vec::new() }
    }

    #[test]
    fn only_teams_that_move_are_drawn() {
        assert_eq!(Slopes::new(&[moved(Some(1), Some(1)), moved(None, Some(2))], String::new()), None);
        let drawn = Slopes::new(&[moved(Some(9), Some(2)), moved(Some(2), Some(9))], "a \"b\" <".to_owned()).unwrap();
        let svg = drawn.to_string();
        assert!(svg.contains("data-way=\"up\" d=\"M34 24L206 10\""), "{svg}");
        assert!(svg.contains("data-way=\"down\" d=\"M34 10L206 24\""), "{svg}");
        assert!(!svg.contains("\"b\"") && !svg.contains("b <"), "{svg}");
    }
}
