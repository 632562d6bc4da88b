//! Depth first; remembers (cell, direction) but not with how many turns it came there.

use std::fmt::Write as _;
use std::io::Read;

const STEPS: [(isize, isize); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];

struct Game {
    rows: isize,
    columns: isize,
    board: Vec<u32>,
    seen: Vec<bool>,
}

impl Game {
    fn visit(&mut self, row: isize, column: isize, came: usize, turns: u32, target: (isize, isize)) -> bool {
        for (direction, step) in STEPS.iter().enumerate() {
            let (r, c) = (row + step.0, column + step.1);
            let t = turns + u32::from(came != 4 && came != direction);
            if t > 2 || r < 0 || r >= self.rows || c < 0 || c >= self.columns {
                continue;
            }
            if (r, c) == target {
                return true;
            }
            let cell = (r * self.columns + c) as usize;
            if self.board[cell] != 0 || self.seen[cell * 4 + direction] {
                continue;
            }
            self.seen[cell * 4 + direction] = true;
            if self.visit(r, c, direction, t, target) {
                return true;
            }
        }
        false
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<u32>().unwrap());
    let mut next = || numbers.next().unwrap();
    let mut out = String::new();
    loop {
        let (rows, columns) = (next() as isize, next() as isize);
        if rows == 0 {
            break;
        }
        let cells = (rows * columns) as usize;
        let board = (0..cells).map(|_| next()).collect();
        let mut game = Game { rows, columns, board, seen: vec![false; cells * 4] };
        for _ in 0..next() {
            let [r1, c1, r2, c2] = [(); 4].map(|()| next() as isize - 1);
            let (a, b) = (game.board[(r1 * columns + c1) as usize], game.board[(r2 * columns + c2) as usize]);
            game.seen.fill(false);
            let yes = a != 0 && a == b && game.visit(r1, c1, 4, 0, (r2, c2));
            writeln!(out, "{}", if yes { "YES" } else { "NO" }).unwrap();
        }
    }
    print!("{out}");
}
