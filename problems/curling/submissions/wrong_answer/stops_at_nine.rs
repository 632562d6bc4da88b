//! Gives up after nine throws.

use std::io::Read;

const MOST: u32 = 9;
const BLOCK: u8 = 1;
const GOAL: u8 = 3;

/// The board inside a border of cells that are lost, so that no throw has to watch its coordinates.
struct Sheet {
    cells: Vec<u8>,
    steps: [isize; 4],
    best: u32,
}

const LOST: u8 = 9;

impl Sheet {
    fn throw(&mut self, from: usize, throws: u32) {
        for step in self.steps {
            let mut stone = from;
            let mut next = from.wrapping_add_signed(step);
            if self.cells[next] == BLOCK {
                continue;
            }
            while self.cells[next] < BLOCK {
                stone = next;
                next = stone.wrapping_add_signed(step);
            }
            match self.cells[next] {
                GOAL => self.best = self.best.min(throws + 1),
                // One more throw must follow, and it must still improve on what is known.
                BLOCK if throws + 2 < self.best => {
                    self.cells[next] = 0;
                    self.throw(stone, throws + 1);
                    self.cells[next] = BLOCK;
                }
                _ => {}
            }
        }
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<usize>().unwrap());
    let mut next = || numbers.next().unwrap();
    loop {
        let (width, height) = (next(), next());
        if width == 0 {
            break;
        }
        let stride = width + 2;
        let mut cells = vec![LOST; stride * (height + 2)];
        let mut start = 0;
        for row in 1..=height {
            for column in 1..=width {
                let cell = row * stride + column;
                cells[cell] = match next() {
                    2 => {
                        start = cell;
                        0
                    }
                    value => value as u8,
                };
            }
        }
        let mut sheet = Sheet { cells, steps: [1, -1, stride as isize, -(stride as isize)], best: MOST + 1 };
        sheet.throw(start, 0);
        if sheet.best <= MOST {
            println!("{}", sheet.best);
        } else {
            println!("-1");
        }
    }
}
