//! Large boards on which almost every throw can go on in several ways: the blocks stand a knight's move apart. In most
//! of them the goal is walled in, so that ten throws have to be tried in vain.
//!
//! Arguments: SEED BOARDS.

const SIDE: u64 = 20;

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

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [seed, boards] = arguments[..] else {
        panic!("two numbers are needed");
    };
    let mut random = Random(seed);
    for number in 0..boards {
        let (shift, slope) = (random.below(5), 2 + random.below(2));
        let walled = number % 4 != 3;
        let goal = if walled { (0, 0) } else { (random.below(SIDE), random.below(SIDE)) };
        let start = loop {
            let (row, column) = (6 + random.below(9), 6 + random.below(9));
            if (row, column) != goal && (column + slope * row + shift) % 5 != 0 {
                break (row, column);
            }
        };
        println!("{SIDE} {SIDE}");
        for row in 0..SIDE {
            let line: Vec<&str> = (0..SIDE)
                .map(|column| match (row, column) {
                    cell if cell == start => "2",
                    cell if cell == goal => "3",
                    _ if walled && row + column <= 2 => "1",
                    _ if (column + slope * row + shift) % 5 == 0 => "1",
                    _ => "0",
                })
                .collect();
            println!("{}", line.join(" "));
        }
    }
    println!("0 0");
}
