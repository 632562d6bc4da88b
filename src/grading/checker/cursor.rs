//! A stream read through a bounded buffer that knows where it is: line, token, offset.
//!
//! Owns: the buffer, of which a little before the position is kept for excerpts and for going back to a token's start.

use std::io::{self, Read};

use super::difference::{Excerpt, Side};
use super::is_space;

/// Size of the buffer, bytes. The comparison's memory is twice this.
const BUFFER: usize = 256 * 1024;
/// What is kept before the position, bytes.
const HISTORY: usize = 512;
/// What an excerpt shows after the position, bytes: with the history 2 KiB.
const AHEAD: usize = 1_536;
/// The longest text that is shown of a single token, bytes.
const SHOWN_TOKEN: usize = 200;
/// The longest token that can be a number, bytes. The format asks for 30 digits on either side of the point.
pub(super) const LONGEST_NUMBER: usize = 16 * 1024;

/// The longest part of a number that is read again only to be quick, bytes.
const SHORT_NUMBER: usize = 64;

pub(super) struct Cursor<R> {
    reader: R,
    buffer: Vec<u8>,
    /// `buffer[position..end]` is what comes next.
    position: usize,
    end: usize,
    /// Offset in the stream of `buffer[0]`.
    base: u64,
    at_eof: bool,
    /// Line of the position, from 1.
    line: u64,
    /// Tokens begun on that line so far.
    tokens: u64,
    /// Whether the byte before the position belongs to a token.
    in_token: bool,
    /// Offset in the stream of the start of the token the position is in.
    token_start: u64,
}

/// What moving over some bytes changes.
pub(super) struct Tally {
    newlines: u64,
    /// Tokens begun after the last line feed.
    tokens: u64,
    /// Index of the last token's start, when it begins here and isn't over.
    open_token: Option<usize>,
    ends_in_token: bool,
}

impl Tally {
    /// Counts over bytes that follow a token's byte (`in_token`) or don't.
    pub(super) fn of(bytes: &[u8], in_token: bool) -> Self {
        let newlines = count(bytes, |byte| byte == b'\n');
        let last_line = if newlines == 0 { None } else { bytes.iter().rposition(|&byte| byte == b'\n') };
        let tail = bytes.get(last_line.map_or(0, |at| at + 1)..).unwrap_or_default();
        let follows_token = in_token && last_line.is_none();
        let first = tail.first().is_some_and(|&byte| !is_space(byte) && !follows_token);
        let ends_in_token = bytes.last().map_or(in_token, |&byte| !is_space(byte));
        let open_token = if ends_in_token {
            match bytes.iter().rposition(|&byte| is_space(byte)) {
                Some(at) => Some(at + 1),
                None => (!in_token).then_some(0),
            }
        } else {
            None
        };
        Self { newlines, tokens: u64::from(first) + count_starts(tail), open_token, ends_in_token }
    }
}

/// Bytes that fit, counted so that the compiler can do many at once.
fn count(bytes: &[u8], fits: impl Fn(u8) -> bool) -> u64 {
    // At most 128 a chunk, so that a byte holds the sum.
    bytes.chunks(128).map(|chunk| u64::from(chunk.iter().map(|&byte| u8::from(fits(byte))).sum::<u8>())).sum()
}

/// Tokens that begin after the first byte.
fn count_starts(bytes: &[u8]) -> u64 {
    let Some(after_first) = bytes.get(1..) else { return 0 };
    let chunks = bytes.chunks(128).zip(after_first.chunks(128));
    let starts = chunks.map(|(before, here)| {
        let pairs = before.iter().zip(here);
        pairs.map(|(&before, &here)| u8::from(is_space(before) & !is_space(here))).sum::<u8>()
    });
    starts.map(u64::from).sum()
}

impl<R: Read> Cursor<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: vec![0; BUFFER],
            position: 0,
            end: 0,
            base: 0,
            at_eof: false,
            line: 1,
            tokens: 0,
            in_token: false,
            token_start: 0,
        }
    }

    pub(super) const fn in_token(&self) -> bool {
        self.in_token
    }

    /// What comes next; empty only at the end of the stream.
    pub(super) fn window(&mut self) -> io::Result<&[u8]> {
        if self.position == self.end {
            self.fill()?;
        }
        Ok(self.ahead())
    }

    /// The next byte; `None` at the end of the stream.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        self.window().map(|bytes| bytes.first().copied())
    }

    fn ahead(&self) -> &[u8] {
        &self.buffer[self.position..self.end]
    }

    /// Reads once more, behind what is there. What lies too far before the position is given up.
    fn fill(&mut self) -> io::Result<()> {
        if self.at_eof {
            return Ok(());
        }
        let history = self.position.saturating_sub(HISTORY);
        let keep = match self.token_index() {
            Some(start) if self.position - start <= LONGEST_NUMBER => history.min(start),
            _ => history,
        };
        if keep > 0 {
            self.buffer.copy_within(keep..self.end, 0);
            self.position -= keep;
            self.end -= keep;
            self.base += keep as u64;
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_eof = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }

    /// Where in the buffer the current token starts, if the position is in one and its start is still held.
    fn token_index(&self) -> Option<usize> {
        if !self.in_token {
            return None;
        }
        self.token_start.checked_sub(self.base).and_then(|index| usize::try_from(index).ok())
    }

    /// Moves over the next `count` bytes, which `tally` was taken of.
    pub(super) fn advance(&mut self, count: usize, tally: &Tally) {
        if let Some(start) = tally.open_token {
            self.token_start = self.base + (self.position + start) as u64;
        }
        self.line += tally.newlines;
        self.tokens = if tally.newlines > 0 { tally.tokens } else { self.tokens + tally.tokens };
        self.in_token = tally.ends_in_token;
        self.position += count;
    }

    /// The token that the position is in is over.
    pub(super) const fn end_token(&mut self) {
        self.in_token = false;
    }

    /// Moves over white space.
    pub(super) fn skip_space(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.window()?;
            let count = bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(bytes.len());
            if count == 0 {
                return Ok(());
            }
            let tally = Tally::of(&bytes[..count], false);
            self.advance(count, &tally);
        }
    }

    /// Where in the stream the position is.
    pub(super) const fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Whether the position is in a token that began so shortly before that going back costs little.
    pub(super) fn is_near_token_start(&self) -> bool {
        self.token_index().is_some_and(|start| self.position - start <= SHORT_NUMBER)
    }

    /// Goes back to the start of the token the position is in. `false`, when the token is too long for that.
    pub(super) fn back_to_token_start(&mut self) -> bool {
        match self.token_index() {
            Some(start) => {
                self.position = start;
                self.tokens = self.tokens.saturating_sub(1);
                self.in_token = false;
                true
            }
            None => false,
        }
    }

    /// The token that begins at the position; `None` when it is longer than a number may be.
    pub(super) fn token(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            let bytes = self.ahead();
            let end = bytes.iter().take(LONGEST_NUMBER + 1).position(|&byte| is_space(byte));
            let length = match end {
                Some(end) => end,
                None if bytes.len() > LONGEST_NUMBER => return Ok(None),
                None if self.at_eof => bytes.len(),
                None => {
                    self.fill()?;
                    continue;
                }
            };
            return Ok(Some(&self.buffer[self.position..self.position + length]));
        }
    }

    /// Moves over the token of this length that begins at the position.
    pub(super) const fn take_token(&mut self, length: usize) {
        self.position += length;
        self.tokens += 1;
    }

    /// The position for people, with what is there: the token it is in or at, or the white space.
    pub(super) fn side(&mut self) -> io::Result<Side> {
        while !self.at_eof && self.end - self.position < AHEAD {
            self.fill()?;
        }
        let at_token = self.in_token || self.ahead().first().is_some_and(|&byte| !is_space(byte));
        let tokens = self.tokens + u64::from(!self.in_token);
        // A token is shown from its start when that isn't far.
        let earliest = self.position.saturating_sub(SHOWN_TOKEN / 2);
        let held_start = if self.in_token { self.token_index().unwrap_or(0) } else { self.position };
        let start = held_start.max(earliest);
        let cut_before = self.in_token && self.base + (start as u64) > self.token_start;
        let text = &self.buffer[start..self.end];
        let whole = text.iter().position(|&byte| is_space(byte) == at_token).unwrap_or(text.len());
        let shown = whole.min(SHOWN_TOKEN);
        let text = Excerpt { bytes: text[..shown].to_vec(), cut_before, cut_after: shown < whole };

        let from = self.position.saturating_sub(HISTORY);
        let to = self.end.min(self.position + AHEAD);
        let around = Excerpt {
            bytes: self.buffer[from..to].to_vec(),
            cut_before: self.base + from as u64 > 0,
            cut_after: to < self.end || !self.at_eof,
        };
        let offset = self.base + self.position as u64;
        Ok(Side { line: self.line, token: tokens, offset, text, around })
    }
}
