//! Parses a tile as a 16-bit number and panics at a larger one.

use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace();
    let mut next = || words.next().unwrap().parse::<i16>().unwrap();
    loop {
        let (n, m) = (next() as usize, next() as usize);
        if n == 0 {
            break;
        }
        let mut board: Vec<Vec<i16>> = (0..n).map(|_| (0..m).map(|_| next()).collect()).collect();
        for _ in 0..next() {
            let [r1, c1, r2, c2] = [(); 4].map(|()| next() as usize - 1);
            let tile = board[r1][c1];
            if tile == 0 || tile != board[r2][c2] {
                println!("NO");
                continue;
            }
            board[r1][c1] = 0;
            board[r2][c2] = 0;
            let row = |r: usize, a: usize, b: usize| board[r][a.min(b)..=a.max(b)].iter().all(|&tile| tile == 0);
            let column = |c: usize, a: usize, b: usize| (a.min(b)..=a.max(b)).all(|r| board[r][c] == 0);
            let yes = (0..m).any(|c| row(r1, c1, c) && column(c, r1, r2) && row(r2, c, c2))
                || (0..n).any(|r| column(c1, r1, r) && row(r, c1, c2) && column(c2, r, r2));
            println!("{}", if yes { "YES" } else { "NO" });
            board[r1][c1] = tile;
            board[r2][c2] = tile;
        }
    }
}
