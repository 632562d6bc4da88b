//! Small curling boards, and every sequence of throws on them played to its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::random::Random;

const MOST_THROWS: u32 = 10;
const STEPS: [(isize, isize); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

type Board = Vec<Vec<u8>>;

/// Many boards as one input, with the brute force's answers.
pub struct Trial {
    pub input: String,
    pub answers: Vec<String>,
    boards: Vec<String>,
    seed: u64,
}

impl Trial {
    pub fn new(seed: u64, boards: usize) -> Self {
        let mut random = Random(seed);
        let mut trial = Self { input: String::new(), answers: Vec::new(), boards: Vec::new(), seed };
        for number in 0..boards {
            // Thin and long boards with many blocks are those where many throws are needed.
            let (wide, high, density) =
                [((1, 5), (1, 5), 10), ((6, 11), (6, 11), 25), ((10, 20), (1, 4), 40), ((1, 4), (10, 20), 40)]
                    [number % 4];
            let width = random.between(wide.0, wide.1);
            let height = random.between(if width == 1 { high.0.max(2) } else { high.0 }, high.1);
            let density = random.between(density, 75);
            let mut board: Board =
                (0..height).map(|_| (0..width).map(|_| u8::from(random.chance(density))).collect()).collect();
            let start = random.between(0, width * height - 1);
            let goal = (start + random.between(1, width * height - 1)) % (width * height);
            board[start / width][start % width] = 2;
            board[goal / width][goal % width] = 3;

            let mut text = format!("{width} {height}\n");
            for row in &board {
                writeln!(text, "{}", row.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")).unwrap();
            }
            let answer = fewest(&board, (start / width, start % width), MOST_THROWS);
            trial.answers.push(answer.map_or("-1".into(), |throws| throws.to_string()));
            trial.input.push_str(&text);
            trial.boards.push(text);
        }
        trial.input.push_str("0 0\n");

        let mut counts = BTreeMap::<&str, u32>::new();
        for answer in &trial.answers {
            *counts.entry(answer).or_default() += 1;
        }
        let all_common = counts.len() == 11 && counts.values().all(|&count| count >= 20);
        assert!(all_common, "some answers are too rare: {counts:?}");
        trial
    }

    pub fn describe(&self, line: usize) -> String {
        format!("seed {}, board {line}:\n{}", self.seed, self.boards[line])
    }
}

/// The fewest throws from here, if `left` are enough. Nothing is cut off and nothing is put back.
fn fewest(board: &Board, stone: (usize, usize), left: u32) -> Option<u32> {
    if left == 0 {
        return None;
    }
    STEPS.into_iter().filter_map(|step| throw(board, stone, step, left)).min()
}

fn throw(board: &Board, stone: (usize, usize), (down, right): (isize, isize), left: u32) -> Option<u32> {
    let mut at = stone;
    loop {
        let next = (at.0.wrapping_add_signed(down), at.1.wrapping_add_signed(right));
        match *board.get(next.0)?.get(next.1)? {
            3 => return Some(1),
            1 if at == stone => return None,
            1 => {
                let mut after = board.clone();
                after[next.0][next.1] = 0;
                return fewest(&after, at, left - 1).map(|throws| throws + 1);
            }
            _ => at = next,
        }
    }
}
