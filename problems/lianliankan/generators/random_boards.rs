//! Boards of random size and density.
//!
//! Arguments: SEED BOARDS ROWS_FROM ROWS_TO COLUMNS_FROM COLUMNS_TO PERMILLE_FROM PERMILLE_TO KINDS QUERIES, where
//! PERMILLE says how many of a thousand cells hold a tile and KINDS how many values the tiles have. Most queries
//! name two tiles near each other that are made equal, so that YES and NO are both common at every density.

use std::io::Write;

/// splitmix64
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.next() % (to - from + 1)
    }

    fn chance(&mut self, permille: u64) -> bool {
        self.next() % 1000 < permille
    }
}

/// A cell at most `window` away from `at`, inside `0..size`.
fn near(random: &mut Random, at: usize, window: usize, size: usize) -> usize {
    random.between(at.saturating_sub(window) as u64, (at + window).min(size - 1) as u64) as usize
}

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [seed, boards, rows_from, rows_to, columns_from, columns_to, permille_from, permille_to, kinds, queries] =
        arguments[..]
    else {
        panic!("ten numbers are needed");
    };
    let mut random = Random(seed);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for _ in 0..boards {
        let rows = random.between(rows_from, rows_to) as usize;
        let mut columns = random.between(columns_from, columns_to) as usize;
        if rows * columns == 1 {
            columns = 2;
        }
        let permille = random.between(permille_from, permille_to);
        let mut tiles: Vec<u64> =
            (0..rows * columns).map(|_| if random.chance(permille) { random.between(1, kinds) } else { 0 }).collect();

        let mut asked = Vec::new();
        while asked.len() < queries as usize {
            let any = random.chance(100);
            let pick = |random: &mut Random, from: Option<(usize, usize)>| {
                // A board without tiles must not be searched for one for ever.
                let mut cell = (0, 0);
                for _ in 0..20_000 {
                    cell = match from {
                        None => (
                            random.between(0, rows as u64 - 1) as usize,
                            random.between(0, columns as u64 - 1) as usize,
                        ),
                        Some((row, column)) => {
                            let (high, wide) = (1 << random.between(0, 10), 1 << random.between(0, 10));
                            (near(random, row, high, rows), near(random, column, wide, columns))
                        }
                    };
                    if from != Some(cell) && (any || tiles[cell.0 * columns + cell.1] != 0) {
                        break;
                    }
                }
                cell
            };
            let a = pick(&mut random, None);
            let b = pick(&mut random, Some(a));
            if a == b {
                asked.push(if a == (0, 0) { (a, (rows - 1, columns - 1)) } else { (a, (0, 0)) });
                continue;
            }
            if tiles[b.0 * columns + b.1] != 0 && tiles[a.0 * columns + a.1] != 0 && random.chance(850) {
                tiles[b.0 * columns + b.1] = tiles[a.0 * columns + a.1];
            }
            asked.push((a, b));
        }

        let mut text = format!("{rows} {columns}\n");
        for row in tiles.chunks(columns) {
            for (column, tile) in row.iter().enumerate() {
                if column > 0 {
                    text.push(' ');
                }
                text.push_str(&tile.to_string());
            }
            text.push('\n');
        }
        text.push_str(&format!("{queries}\n"));
        for (a, b) in asked {
            text.push_str(&format!("{} {} {} {}\n", a.0 + 1, a.1 + 1, b.0 + 1, b.1 + 1));
        }
        out.write_all(text.as_bytes()).expect("stdout");
    }
    out.write_all(b"0 0\n").expect("stdout");
}
