//! Boards whose tiles look alike, or look free, to a program that keeps only the low bits of a value.
//!
//! Arguments: SEED BOARDS ROWS COLUMNS QUERIES.

/// Multiples of 2^8 and 2^16, values that differ by such multiples, neighbours near the largest, and plain ones.
const VALUES: &[u32] = &[
    1,
    2,
    256,
    257,
    512,
    32_768,
    65_536,
    65_537,
    65_538,
    131_072,
    131_073,
    16_777_216,
    16_777_217,
    99_999_999,
    268_435_456,
    999_999_999,
    1_000_000_000,
];

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

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let [seed, boards, rows, columns, queries] = arguments[..] else {
        panic!("five numbers are needed");
    };
    let (rows, columns) = (rows as usize, columns as usize);
    let mut random = Random(seed);
    for _ in 0..boards {
        let tiles: Vec<u32> = (0..rows * columns)
            .map(|_| if random.below(10) < 6 { 0 } else { VALUES[random.below(VALUES.len())] })
            .collect();
        println!("{rows} {columns}");
        for row in tiles.chunks(columns) {
            println!("{}", row.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
        }
        println!("{queries}");
        let mut left = queries;
        // By turns two equal tiles and two that only look equal, at most four cells apart; after many vain tries any
        // two cells.
        let mut equal = true;
        for attempt in 0_u64.. {
            if left == 0 {
                break;
            }
            let (r1, c1) = (random.below(rows), random.below(columns));
            let (r2, c2) = ((r1 + random.below(5)).min(rows - 1), (c1 + random.below(5)).min(columns - 1));
            let (a, b) = (tiles[r1 * columns + c1], tiles[r2 * columns + c2]);
            let alike = a != 0 && b != 0 && if equal { a == b } else { a != b && a % 256 == b % 256 };
            if (r1, c1) != (r2, c2) && (alike || attempt > 1_000_000) {
                println!("{} {} {} {}", r1 + 1, c1 + 1, r2 + 1, c2 + 1);
                left -= 1;
                equal = !equal;
            }
        }
    }
    println!("0 0");
}
