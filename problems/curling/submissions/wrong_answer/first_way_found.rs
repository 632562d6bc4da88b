//! Prints the first way to the goal that the depth-first search meets, not the shortest.

use std::io::Read;

fn play(board: &mut [Vec<u8>], (row, column): (usize, usize), throws: i32) -> Option<i32> {
    if throws == 10 {
        return None;
    }
    for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
        let (mut r, mut c) = (row, column);
        loop {
            let (next_r, next_c) = (r.wrapping_add_signed(down), c.wrapping_add_signed(right));
            match board.get(next_r).and_then(|line| line.get(next_c)) {
                None => break,
                Some(3) => return Some(throws + 1),
                Some(1) if (r, c) == (row, column) => break,
                Some(1) => {
                    board[next_r][next_c] = 0;
                    let found = play(board, (r, c), throws + 1);
                    board[next_r][next_c] = 1;
                    if found.is_some() {
                        return found;
                    }
                    break;
                }
                Some(_) => (r, c) = (next_r, next_c),
            }
        }
    }
    None
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<u8>().unwrap());
    loop {
        let (width, height) = (numbers.next().unwrap(), numbers.next().unwrap());
        if width == 0 {
            break;
        }
        let mut board: Vec<Vec<u8>> =
            (0..height).map(|_| (0..width).map(|_| numbers.next().unwrap()).collect()).collect();
        let start = (0..board.len())
            .find_map(|row| board[row].iter().position(|&cell| cell == 2).map(|column| (row, column)))
            .unwrap();
        println!("{}", play(&mut board, start, 0).unwrap_or(-1));
    }
}
