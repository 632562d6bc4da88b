//! Accepts exactly the inputs that the statement describes: exit code 42, or 43 with a sentence that names the line.

use std::io::Read;
use std::process::exit;

const MAX_ROWS: u32 = 1000;
const MAX_COLUMNS: u32 = 999;
const MAX_TILE: u32 = 1_000_000_000;
const MAX_QUERIES: u32 = 49;
const MAX_BOARDS: u32 = 10_000;
const MAX_CELLS: u32 = 4_000_000;

fn main() {
    let mut input = Vec::new();
    if let Err(error) = std::io::stdin().lock().read_to_end(&mut input) {
        eprintln!("the input can't be read: {error}");
        exit(1);
    }
    match check(&input) {
        Ok(()) => exit(42),
        Err(complaint) => {
            eprintln!("{complaint}");
            exit(43);
        }
    }
}

fn check(input: &[u8]) -> Result<(), String> {
    let mut lines = Lines { rest: input, number: 0 };
    let (mut boards, mut cells) = (0, 0);
    loop {
        let mut line = lines.next("the number of rows and of columns, or 0 0")?;
        let rows = line.number("the number of rows", 0, MAX_ROWS)?;
        line.space()?;
        let columns = line.number("the number of columns", 0, MAX_COLUMNS)?;
        line.end()?;
        match (rows, columns) {
            (0, 0) => break,
            (0, _) => return Err(line.complain("the board has columns but no rows")),
            (_, 0) => return Err(line.complain("the board has rows but no columns")),
            (1, 1) => return Err(line.complain("a board needs two cells at least")),
            _ => {}
        }
        boards += 1;
        cells += rows * columns;
        if boards > MAX_BOARDS {
            return Err(line.complain(&format!("this is board {boards}, at most {MAX_BOARDS} are allowed")));
        }
        if cells > MAX_CELLS {
            return Err(
                line.complain(&format!("with this board there are {cells} cells, at most {MAX_CELLS} are allowed"))
            );
        }
        for _ in 0..rows {
            let mut line = lines.next("a row of the board")?;
            for column in 0..columns {
                if column > 0 {
                    line.space()?;
                }
                line.number("the tile", 0, MAX_TILE)?;
            }
            line.end()?;
        }
        let mut line = lines.next("the number of queries")?;
        let queries = line.number("the number of queries", 1, MAX_QUERIES)?;
        line.end()?;
        for query in 1..=queries {
            let mut line = lines.next("a query")?;
            let mut cell = [(0, 0); 2];
            for (place, (row, column)) in cell.iter_mut().enumerate() {
                if place > 0 {
                    line.space()?;
                }
                *row = line.number("the row of the query", 1, rows)?;
                line.space()?;
                *column = line.number("the column of the query", 1, columns)?;
            }
            line.end()?;
            if cell[0] == cell[1] {
                return Err(line.complain(&format!("query {query} names the same cell twice")));
            }
        }
    }
    if boards == 0 {
        return Err("line 1: there is no board".into());
    }
    if !lines.rest.is_empty() {
        return Err(format!("line {}: there is something after the closing 0 0", lines.number + 1));
    }
    Ok(())
}

struct Lines<'a> {
    rest: &'a [u8],
    number: u64,
}

struct Line<'a> {
    rest: &'a [u8],
    number: u64,
}

impl<'a> Lines<'a> {
    fn next(&mut self, what: &str) -> Result<Line<'a>, String> {
        self.number += 1;
        if self.rest.is_empty() {
            return Err(format!("line {}: the input ends where {what} should be", self.number));
        }
        let Some(length) = self.rest.iter().position(|&byte| byte == b'\n') else {
            return Err(format!("line {}: the line has no newline at its end", self.number));
        };
        let line = Line { rest: &self.rest[..length], number: self.number };
        self.rest = &self.rest[length + 1..];
        Ok(line)
    }
}

impl Line<'_> {
    fn complain(&self, what: &str) -> String {
        format!("line {}: {what}", self.number)
    }

    fn number(&mut self, what: &str, from: u32, to: u32) -> Result<u32, String> {
        let length = self.rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(length);
        if digits.is_empty() {
            return Err(match rest.first() {
                None => self.complain(&format!("the line ends where {what} should be")),
                Some(&byte) => self.complain(&format!("{what} should be here, not {}", name(byte))),
            });
        }
        if digits.len() > 1 && digits[0] == b'0' {
            return Err(self.complain(&format!("{what} has a leading zero")));
        }
        // Eleven digits are more than any limit, so nothing larger is ever computed.
        let value = digits.iter().take(11).fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        let value = u32::try_from(value).ok().filter(|value| (from..=to).contains(value));
        self.rest = rest;
        value.ok_or_else(|| {
            let shown = String::from_utf8_lossy(&digits[..digits.len().min(20)]);
            self.complain(&format!("{what} is {shown}, not within {from} and {to}"))
        })
    }

    fn space(&mut self) -> Result<(), String> {
        match self.rest.split_first() {
            Some((b' ', rest)) => {
                self.rest = rest;
                Ok(())
            }
            Some((&byte, _)) => Err(self.complain(&format!("a single space should be here, not {}", name(byte)))),
            None => Err(self.complain("the line ends where more numbers should be")),
        }
    }

    fn end(&self) -> Result<(), String> {
        match self.rest.first() {
            None => Ok(()),
            Some(&byte) => Err(self.complain(&format!("the line should end here, but there is {}", name(byte)))),
        }
    }
}

fn name(byte: u8) -> String {
    match byte {
        b' ' => "a space".into(),
        b'\t' => "a tab".into(),
        b'\r' => "a carriage return".into(),
        b'!'..=b'~' => format!("'{}'", char::from(byte)),
        _ => format!("the byte {byte}"),
    }
}
