//! One board with hardly any tiles, where a search has the whole board to walk through.
//!
//! Arguments: SEED ROWS COLUMNS CAGED OPEN. CAGED queries go from a tile in the open to one that four others shut in
//! (NO, but only after everything was looked at), OPEN queries join tiles in the open, and four more ask
//! for free cells and for tiles that differ.

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

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

struct Board {
    rows: usize,
    columns: usize,
    tiles: Vec<u32>,
    random: Random,
}

impl Board {
    /// A free cell off the border whose eight neighbours are free too.
    fn clearing(&mut self) -> (usize, usize) {
        loop {
            let (row, column) = (1 + self.random.below(self.rows - 2), 1 + self.random.below(self.columns - 2));
            let free =
                (row - 1..=row + 1).all(|r| (column - 1..=column + 1).all(|c| self.tiles[r * self.columns + c] == 0));
            if free {
                return (row, column);
            }
        }
    }

    fn put(&mut self, (row, column): (usize, usize), tile: u32) -> (usize, usize) {
        self.tiles[row * self.columns + column] = tile;
        (row, column)
    }
}

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [seed, rows, columns, caged, open] = arguments[..] else {
        panic!("five numbers are needed");
    };
    let (rows, columns) = (rows as usize, columns as usize);
    let mut board = Board { rows, columns, tiles: vec![0; rows * columns], random: Random(seed) };
    let mut queries = Vec::new();
    let mut kind = 1;
    for _ in 0..caged {
        kind += 1;
        let place = board.clearing();
        let inner = board.put(place, kind);
        for (row, column) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
            board.put((inner.0 + row - 1, inner.1 + column - 1), 1);
        }
        let place = board.clearing();
        let outer = board.put(place, kind);
        queries.push((outer, inner));
    }
    for _ in 0..open {
        kind += 1;
        let place = board.clearing();
        let a = board.put(place, kind);
        let place = board.clearing();
        let b = board.put(place, kind);
        queries.push((a, b));
    }
    let (first, last) = (queries[0], queries[queries.len() - 1]);
    let (free, other) = (board.clearing(), board.clearing());
    queries.extend([(first.0, last.0), (free, last.0), (last.1, free), (free, other)]);

    println!("{rows} {columns}");
    let mut text = String::new();
    for row in board.tiles.chunks(columns) {
        for (column, tile) in row.iter().enumerate() {
            if column > 0 {
                text.push(' ');
            }
            text.push_str(&tile.to_string());
        }
        text.push('\n');
    }
    print!("{text}");
    println!("{}", queries.len());
    for (a, b) in queries {
        println!("{} {} {} {}", a.0 + 1, a.1 + 1, b.0 + 1, b.1 + 1);
    }
    println!("0 0");
}
