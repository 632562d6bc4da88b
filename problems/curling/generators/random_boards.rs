//! Boards of random size and density.
//!
//! Arguments: SEED BOARDS WIDTH_FROM WIDTH_TO HEIGHT_FROM HEIGHT_TO PERMILLE_FROM PERMILLE_TO, where PERMILLE says how
//! many of a thousand cells hold a block. Where both sides can differ they do, so that width and height can't be mixed up.

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
}

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [seed, boards, width_from, width_to, height_from, height_to, permille_from, permille_to] = arguments[..] else {
        panic!("eight numbers are needed");
    };
    let mut random = Random(seed);
    for _ in 0..boards {
        let (width, height) = loop {
            let (width, height) = (random.between(width_from, width_to), random.between(height_from, height_to));
            let fixed = width_from == width_to && height_from == height_to;
            if width * height >= 2 && (fixed || width != height) {
                break (width, height);
            }
        };
        let permille = random.between(permille_from, permille_to);
        let cells = width * height;
        let mut board: Vec<u64> = (0..cells).map(|_| u64::from(random.between(0, 999) < permille)).collect();
        let start = random.between(0, cells - 1);
        let goal = (start + random.between(1, cells - 1)) % cells;
        board[start as usize] = 2;
        board[goal as usize] = 3;
        println!("{width} {height}");
        for row in board.chunks(width as usize) {
            println!("{}", row.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
        }
    }
    println!("0 0");
}
