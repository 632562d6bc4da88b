//! Small lianliankan boards, and every path on them walked one by one.

use std::fmt::Write as _;

use crate::random::Random;

const QUERIES: usize = 5;
const STEPS: [(isize, isize); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

type Cell = (usize, usize);

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
            let (most_rows, most_columns) = [(4, 4), (7, 7), (2, 9), (9, 2)][number % 4];
            let rows = random.between(1, most_rows);
            let columns = random.between(if rows == 1 { 2 } else { 1 }, most_columns);
            let (density, kinds) = (random.between(10, 90), random.between(1, 3));
            let board: Vec<Vec<usize>> = (0..rows)
                .map(|_| {
                    (0..columns).map(|_| if random.chance(density) { random.between(1, kinds) } else { 0 }).collect()
                })
                .collect();
            let mut text = format!("{rows} {columns}\n");
            for row in &board {
                writeln!(text, "{}", row.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")).unwrap();
            }
            writeln!(text, "{QUERIES}").unwrap();
            for _ in 0..QUERIES {
                let (a, b) = pick(&mut random, &board);
                writeln!(text, "{} {} {} {}", a.0 + 1, a.1 + 1, b.0 + 1, b.1 + 1).unwrap();
                trial.answers.push(if linked(&board, a, b) { "YES" } else { "NO" }.into());
            }
            trial.input.push_str(&text);
            trial.boards.push(text);
        }
        trial.input.push_str("0 0\n");
        let yes = trial.answers.iter().filter(|answer| *answer == "YES").count();
        assert!((30..70).contains(&(yes * 100 / trial.answers.len())), "{yes} answers are YES: too one-sided");
        trial
    }

    pub fn describe(&self, line: usize) -> String {
        let (board, query) = (line / QUERIES, line % QUERIES + 1);
        format!("seed {}, board {board}, query {query}:\n{}", self.seed, self.boards[board])
    }
}

/// Two different cells, most often two tiles that are equal.
fn pick(random: &mut Random, board: &[Vec<usize>]) -> (Cell, Cell) {
    let wanted = random.chance(85);
    let mut cell = || (random.between(0, board.len() - 1), random.between(0, board[0].len() - 1));
    let mut pair = (cell(), cell());
    for _ in 0..100 {
        let tile = board[pair.0.0][pair.0.1];
        if pair.0 != pair.1 && (!wanted || tile != 0 && tile == board[pair.1.0][pair.1.1]) {
            return pair;
        }
        pair = (cell(), cell());
    }
    ((0, 0), (board.len() - 1, board[0].len() - 1))
}

fn linked(board: &[Vec<usize>], a: Cell, b: Cell) -> bool {
    let tile = board[a.0][a.1];
    tile != 0 && tile == board[b.0][b.1] && (0..4).any(|direction| walk(board, a, direction, 2, b))
}

/// Whether a path that leaves `at` in this direction, and may turn so many times more, gets to `target`.
fn walk(board: &[Vec<usize>], at: Cell, direction: usize, turns: u32, target: Cell) -> bool {
    let (down, right) = STEPS[direction];
    let next = (at.0.wrapping_add_signed(down), at.1.wrapping_add_signed(right));
    let Some(&tile) = board.get(next.0).and_then(|row| row.get(next.1)) else {
        return false;
    };
    if next == target {
        return true;
    }
    tile == 0
        && (walk(board, next, direction, turns, target)
            || turns > 0 && [1, 3].into_iter().any(|turn| walk(board, next, (direction + turn) % 4, turns - 1, target)))
}
