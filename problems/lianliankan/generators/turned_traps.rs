//! Small traps for searches that settle a cell too early, in all eight orientations, each walled in at every place
//! of a somewhat larger board.
//!
//! Arguments: ROOM, how many rows and columns of wall the larger board has to spare.

/// A tile that no query asks for.
const WALL: u32 = 9;

/// The rows of a board ('.' is free, '#' a wall) and the two cells that are asked for, row and column from 0.
type Trap = (&'static [&'static str], [usize; 4]);

const TRAPS: &[Trap] = &[
    // The first way into a cell costs one turn more than the second.
    (&[".1", ".2", "..", ".1"], [3, 1, 0, 1]),
    (&[".1", ".1", "..", ".1"], [3, 1, 0, 1]),
    // The step towards the target is on a way with too many turns.
    (&[".....", "1.2.1"], [1, 4, 1, 0]),
    (&["1....", ".....", "..2..", ".....", "....1"], [0, 0, 4, 4]),
    // The shortest way has three turns, the way with two goes round.
    (&["1.#.....", "...####.", "#......1"], [0, 0, 2, 7]),
    (&["1..#", "#..1", "#..#"], [0, 0, 1, 3]),
    (&["1...", "##..", "#...", "1..."], [0, 0, 3, 0]),
    // Three turns and no less.
    (&["......", ".2##..", ".1#.1.", ".#....", "......"], [2, 1, 2, 4]),
];

fn turn(board: &[Vec<u32>], cells: [usize; 4]) -> (Vec<Vec<u32>>, [usize; 4]) {
    let (rows, columns) = (board.len(), board[0].len());
    let turned = (0..columns).map(|r| (0..rows).map(|c| board[rows - 1 - c][r]).collect()).collect();
    let [r1, c1, r2, c2] = cells;
    (turned, [c1, rows - 1 - r1, c2, rows - 1 - r2])
}

fn mirror(board: &[Vec<u32>], cells: [usize; 4]) -> (Vec<Vec<u32>>, [usize; 4]) {
    let columns = board[0].len();
    let mirrored = board.iter().map(|row| row.iter().rev().copied().collect()).collect();
    let [r1, c1, r2, c2] = cells;
    (mirrored, [r1, columns - 1 - c1, r2, columns - 1 - c2])
}

fn main() {
    let room: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).expect("the room to spare");
    for (picture, cells) in TRAPS {
        let mut board: Vec<Vec<u32>> = picture
            .iter()
            .map(|row| {
                row.bytes()
                    .map(|byte| match byte {
                        b'.' => 0,
                        b'#' => WALL,
                        digit => u32::from(digit - b'0'),
                    })
                    .collect()
            })
            .collect();
        let mut cells = *cells;
        for orientation in 0..8 {
            if orientation == 4 {
                (board, cells) = mirror(&board, cells);
            }
            for down in 0..=room {
                for right in 0..=room {
                    print_board(&board, cells, room, down, right);
                }
            }
            (board, cells) = turn(&board, cells);
        }
    }
    println!("0 0");
}

fn print_board(board: &[Vec<u32>], cells: [usize; 4], room: usize, down: usize, right: usize) {
    let (rows, columns) = (board.len() + room, board[0].len() + room);
    println!("{rows} {columns}");
    for row in 0..rows {
        let line: Vec<String> = (0..columns)
            .map(|column| {
                let inside = row.checked_sub(down).and_then(|row| board.get(row)).zip(column.checked_sub(right));
                inside.and_then(|(row, column)| row.get(column)).unwrap_or(&WALL).to_string()
            })
            .collect();
        println!("{}", line.join(" "));
    }
    let [r1, c1, r2, c2] = cells;
    println!("2");
    for [r1, c1, r2, c2] in [[r1, c1, r2, c2], [r2, c2, r1, c1]] {
        println!("{} {} {} {}", r1 + down + 1, c1 + right + 1, r2 + down + 1, c2 + right + 1);
    }
}
