//! Keeps the board in an array of 16 by 16 cells and panics at a larger one.

use std::io::Read;

type Sheet = [[u8; 16]; 16];

fn play(sheet: &mut Sheet, (width, height): (usize, usize), (x, y): (usize, usize), throws: u32, best: &mut u32) {
    if throws + 1 >= *best {
        return;
    }
    for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        let (mut stone_x, mut stone_y) = (x, y);
        loop {
            let (next_x, next_y) = (stone_x.wrapping_add_signed(dx), stone_y.wrapping_add_signed(dy));
            if next_x >= width || next_y >= height {
                break;
            }
            if sheet[next_y][next_x] == 3 {
                *best = throws + 1;
                break;
            }
            if sheet[next_y][next_x] == 1 {
                if (stone_x, stone_y) != (x, y) {
                    sheet[next_y][next_x] = 0;
                    play(sheet, (width, height), (stone_x, stone_y), throws + 1, best);
                    sheet[next_y][next_x] = 1;
                }
                break;
            }
            (stone_x, stone_y) = (next_x, next_y);
        }
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<usize>().unwrap());
    let mut next = || numbers.next().unwrap();
    loop {
        let (width, height) = (next(), next());
        if width == 0 {
            break;
        }
        let mut sheet = [[0; 16]; 16];
        let mut start = (0, 0);
        for y in 0..height {
            for x in 0..width {
                sheet[y][x] = next() as u8;
                if sheet[y][x] == 2 {
                    start = (x, y);
                }
            }
        }
        let mut best = 11;
        play(&mut sheet, (width, height), start, 0, &mut best);
        println!("{}", if best > 10 { -1 } else { best as i32 });
    }
}
