//! How far each tile reaches along its row and its column, and a free segment that joins the two reaches.

use std::io::{Read, Write};

/// The decimal numbers of a byte string, one after the other.
struct Numbers<'a> {
    rest: &'a [u8],
}

impl Numbers<'_> {
    fn next(&mut self) -> u32 {
        let start = self.rest.iter().position(|&byte| byte > b' ').unwrap_or(0);
        let mut value = 0;
        let mut length = 0;
        for &byte in self.rest[start..].iter().take_while(|&&byte| byte > b' ') {
            value = value * 10 + u32::from(byte - b'0');
            length += 1;
        }
        self.rest = &self.rest[start + length..];
        value
    }

    /// Appends that many numbers. Where all of them are single digits, as in most boards, they are taken as they stand.
    fn append(&mut self, count: usize, to: &mut Vec<u32>) {
        let start = self.rest.iter().position(|&byte| byte > b' ').unwrap_or(0);
        if let Some(line) = self.rest.get(start..start + 2 * count) {
            if line.chunks_exact(2).fold(true, |plain, pair| plain & (pair[0] > b' ') & (pair[1] <= b' ')) {
                to.extend(line.chunks_exact(2).map(|pair| u32::from(pair[0] - b'0')));
                self.rest = &self.rest[start + 2 * count..];
                return;
            }
        }
        to.extend((0..count).map(|_| self.next()));
    }
}

/// The tiles, and beside them one bit a cell that says whether a tile lies there.
#[derive(Default)]
struct Board {
    rows: usize,
    columns: usize,
    words: usize,
    tiles: Vec<u32>,
    taken: Vec<u64>,
}

impl Board {
    fn read(&mut self, rows: usize, columns: usize, numbers: &mut Numbers) {
        self.rows = rows;
        self.columns = columns;
        self.words = columns.div_ceil(64);
        self.tiles.clear();
        self.taken.clear();
        for row in 0..rows {
            numbers.append(columns, &mut self.tiles);
            self.taken.extend(
                self.tiles[row * columns..]
                    .chunks(64)
                    .map(|tiles| tiles.iter().rev().fold(0, |bits, &tile| bits << 1 | u64::from(tile != 0))),
            );
        }
    }

    fn is_free(&self, row: usize, column: usize) -> bool {
        self.taken[row * self.words + column / 64] >> (column % 64) & 1 == 0
    }

    fn flip(&mut self, (row, column): (usize, usize)) {
        self.taken[row * self.words + column / 64] ^= 1 << (column % 64);
    }

    /// The columns `first..=last` that a walk along the row covers.
    fn row_reach(&self, (row, column): (usize, usize)) -> (usize, usize) {
        let (mut first, mut last) = (column, column);
        while first > 0 && self.is_free(row, first - 1) {
            first -= 1;
        }
        while last + 1 < self.columns && self.is_free(row, last + 1) {
            last += 1;
        }
        (first, last)
    }

    /// The rows `first..=last` that a walk along the column covers.
    fn column_reach(&self, (row, column): (usize, usize)) -> (usize, usize) {
        let (mut first, mut last) = (row, row);
        while first > 0 && self.is_free(first - 1, column) {
            first -= 1;
        }
        while last + 1 < self.rows && self.is_free(last + 1, column) {
            last += 1;
        }
        (first, last)
    }

    fn linked(&mut self, a: (usize, usize), b: (usize, usize)) -> bool {
        let tile = self.tiles[a.0 * self.columns + a.1];
        if tile == 0 || tile != self.tiles[b.0 * self.columns + b.1] {
            return false;
        }
        // With both tiles lifted off the board their cells need no special case: a path that crosses one of
        // them again could be cut there, and would only lose turns.
        self.flip(a);
        self.flip(b);
        let linked = self.joined_by_a_column(a, b) || self.joined_by_a_row(a, b);
        self.flip(a);
        self.flip(b);
        linked
    }

    /// Along row, column, row: 64 candidate columns are followed down at a time.
    fn joined_by_a_column(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        let (reach_a, reach_b) = (self.row_reach(a), self.row_reach(b));
        let (first, last) = (reach_a.0.max(reach_b.0), reach_a.1.min(reach_b.1));
        let (top, bottom) = (a.0.min(b.0), a.0.max(b.0));
        first <= last
            && (first / 64..=last / 64).any(|word| {
                let mut open = span(first, last, word);
                for row in top..=bottom {
                    open &= !self.taken[row * self.words + word];
                    if open == 0 {
                        return false;
                    }
                }
                true
            })
    }

    /// Along column, row, column.
    fn joined_by_a_row(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        let (reach_a, reach_b) = (self.column_reach(a), self.column_reach(b));
        let (first, last) = (a.1.min(b.1), a.1.max(b.1));
        (reach_a.0.max(reach_b.0)..=reach_a.1.min(reach_b.1)).any(|row| {
            (first / 64..=last / 64).all(|word| self.taken[row * self.words + word] & span(first, last, word) == 0)
        })
    }
}

/// The bits of `first..=last` that fall into this word of a row.
fn span(first: usize, last: usize, word: usize) -> u64 {
    let mut bits = u64::MAX;
    if first / 64 == word {
        bits &= u64::MAX << (first % 64);
    }
    if last / 64 == word {
        bits &= u64::MAX >> (63 - last % 64);
    }
    bits
}

fn main() {
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input).unwrap();
    let mut numbers = Numbers { rest: &input };
    let mut board = Board::default();
    let mut output = Vec::new();
    loop {
        let (rows, columns) = (numbers.next() as usize, numbers.next() as usize);
        if rows == 0 && columns == 0 {
            break;
        }
        board.read(rows, columns, &mut numbers);
        for _ in 0..numbers.next() {
            let [r1, c1, r2, c2] = [(); 4].map(|()| numbers.next() as usize - 1);
            output.extend_from_slice(if board.linked((r1, c1), (r2, c2)) { b"YES\n" } else { b"NO\n" });
        }
    }
    std::io::stdout().write_all(&output).unwrap();
}
