//! The comparison: two streams side by side, as fast as equal bytes can be found equal.
//!
//! Equal stretches (up to case, where case doesn't matter) are found in blocks: case never changes where tokens begin,
//! so both streams stay in step. Only at a difference is it asked whether white space or a number explains it.

use std::io::{self, Read};

use super::cursor::{Cursor, Tally};
use super::difference::{Difference, DifferenceKind};
use super::stride::stride;
use super::{CheckerFlags, Comparison, is_space};

/// Compares an output with the answer. Memory is constant: 512 KiB, whatever the streams' lengths.
///
/// # Errors
/// When one of the streams can't be read, named in the error's text. That is a fault of the judge's, never a verdict.
pub fn compare(answer: impl Read, output: impl Read, flags: &CheckerFlags) -> io::Result<Comparison> {
    let mut pair = Pair {
        answer: Cursor::new(Named { reader: answer, name: "the answer" }),
        output: Cursor::new(Named { reader: output, name: "the output" }),
        flags,
    };
    loop {
        pair.skip_equal()?;
        if pair.skip_right()? {
            continue;
        }
        match pair.step()? {
            Step::Onward => {}
            Step::Same => return Ok(Comparison::Same),
            Step::Different(kind) => {
                let (answer, output) = (pair.answer.side()?, pair.output.side()?);
                return Ok(Comparison::Different(Box::new(Difference { kind, answer, output })));
            }
        }
    }
}

enum Step {
    Onward,
    Same,
    Different(DifferenceKind),
}

/// Both streams. Between steps they have passed the same tokens and are both inside a token or both outside.
struct Pair<'a, A, O> {
    answer: Cursor<A>,
    output: Cursor<O>,
    flags: &'a CheckerFlags,
}

impl<A: Read, O: Read> Pair<'_, A, O> {
    /// Passes all that is equal.
    fn skip_equal(&mut self) -> io::Result<()> {
        loop {
            let in_token = self.answer.in_token();
            let answer = self.answer.window()?;
            let count = common_prefix(answer, self.output.window()?, !self.flags.case_sensitive);
            if count == 0 {
                return Ok(());
            }
            let tally = Tally::of(&answer[..count], in_token);
            self.answer.advance(count, &tally);
            self.output.advance(count, &tally);
        }
    }

    /// Passes what is right though it isn't equal, as far as it lies in both buffers. `false`: nothing was, and both are
    /// still at the difference that they stood at.
    fn skip_right(&mut self) -> io::Result<bool> {
        let difference = (self.answer.offset(), self.output.offset());
        // A number is looked at as a whole, so its part that is passed already must be looked at again.
        if self.flags.compares_floats() && self.answer.is_near_token_start() && self.output.is_near_token_start() {
            self.answer.back_to_token_start();
            self.output.back_to_token_start();
        }
        let in_token = self.answer.in_token();
        let (answer, output) = (self.answer.window()?, self.output.window()?);
        let (passed, matched) = stride(answer, output, in_token, self.flags);
        let (answer, output) = (Tally::of(&answer[..passed], in_token), Tally::of(&output[..matched], in_token));
        self.answer.advance(passed, &answer);
        self.output.advance(matched, &output);
        if self.answer.offset() > difference.0 || self.output.offset() > difference.1 {
            return Ok(true);
        }
        // Where too little of a token is held, not even its part that is equal was passed again.
        if let Ok(missing @ 1..) = usize::try_from(difference.0 - self.answer.offset()) {
            let in_token = self.answer.in_token();
            let tally = Tally::of(&self.answer.window()?[..missing], in_token);
            self.answer.advance(missing, &tally);
            self.output.advance(missing, &tally);
        }
        Ok(false)
    }

    /// Looks at the next bytes, which differ, or at the end.
    fn step(&mut self) -> io::Result<Step> {
        let (answer, output) = (self.answer.peek()?, self.output.peek()?);
        if answer.is_none() && output.is_none() {
            return Ok(Step::Same);
        }
        let ends = |next: Option<u8>| next.is_none_or(is_space);
        if self.answer.in_token() {
            if !ends(answer) || !ends(output) {
                // Told apart by value only if they are numbers, which are looked at as a whole.
                if !self.flags.compares_floats() {
                    return Ok(Step::Different(DifferenceKind::Token));
                }
                return self.tokens_again();
            }
            self.answer.end_token();
            self.output.end_token();
        }
        if self.flags.space_change_sensitive {
            return self.spaces(answer, output);
        }
        self.answer.skip_space()?;
        self.output.skip_space()?;
        match (self.answer.peek()?, self.output.peek()?) {
            (None, None) => Ok(Step::Same),
            (Some(_), None) => Ok(Step::Different(DifferenceKind::MissingOutput)),
            (None, Some(_)) => Ok(Step::Different(DifferenceKind::ExtraOutput)),
            (Some(_), Some(_)) => self.tokens(),
        }
    }

    /// Outside tokens, where white space counts and the next bytes differ.
    fn spaces(&mut self, answer: Option<u8>, output: Option<u8>) -> io::Result<Step> {
        let is_token = |next: Option<u8>| next.is_some_and(|byte| !is_space(byte));
        Ok(match (answer, output) {
            _ if is_token(answer) && is_token(output) => return self.tokens(),
            (None, _) if is_token(output) => Step::Different(DifferenceKind::ExtraOutput),
            (_, None) if is_token(answer) => Step::Different(DifferenceKind::MissingOutput),
            _ => Step::Different(DifferenceKind::WhiteSpace),
        })
    }

    /// Both are inside tokens that began alike and go on differently, and numbers matter.
    fn tokens_again(&mut self) -> io::Result<Step> {
        let went_back = self.answer.back_to_token_start() && self.output.back_to_token_start();
        // A token whose start isn't held any more is too long for a number. As texts they are known to differ.
        if went_back && let Some(step) = self.numbers()? {
            return Ok(step);
        }
        Ok(Step::Different(DifferenceKind::Token))
    }

    /// Both are at the start of a token.
    fn tokens(&mut self) -> io::Result<Step> {
        if self.flags.compares_floats()
            && let Some(step) = self.numbers()?
        {
            return Ok(step);
        }
        // As texts: what begins alike is passed by `skip_equal`, which then stops inside the token or behind it.
        let answer = self.answer.window()?;
        let alike = common_prefix(answer, self.output.window()?, !self.flags.case_sensitive) > 0;
        Ok(if alike { Step::Onward } else { Step::Different(DifferenceKind::Token) })
    }

    /// Both are at the start of a token, and numbers matter. `None` when both tokens are too long for numbers.
    fn numbers(&mut self) -> io::Result<Option<Step>> {
        let (answer, output) = (self.answer.token()?, self.output.token()?);
        let lengths = match (answer, output) {
            (None, None) => return Ok(None),
            (Some(answer), Some(output)) if self.flags.accepts(answer, output) => Some((answer.len(), output.len())),
            _ => None,
        };
        let Some((answer, output)) = lengths else {
            return Ok(Some(Step::Different(DifferenceKind::Token)));
        };
        self.answer.take_token(answer);
        self.output.take_token(output);
        Ok(Some(Step::Onward))
    }
}

/// How many bytes both begin with alike.
fn common_prefix(left: &[u8], right: &[u8], ignore_case: bool) -> usize {
    let length = left.len().min(right.len());
    let same = |from: usize, to: usize| {
        let (left, right) = (&left[from..to], &right[from..to]);
        left == right || (ignore_case && left.eq_ignore_ascii_case(right))
    };
    let mut at = 0;
    // A small block first: where every line differs in its end, most of a large one would be looked at for nothing.
    if length >= 64 && same(0, 64) {
        for block in [4_096, 64] {
            while at + block <= length && same(at, at + block) {
                at += block;
            }
        }
    }
    let rest = left[at..length].iter().zip(&right[at..length]);
    let alike = |left: u8, right: u8| left == right || (ignore_case && left.eq_ignore_ascii_case(&right));
    at + rest.take_while(|&(&left, &right)| alike(left, right)).count()
}

/// A stream whose errors say which one it is.
struct Named<R> {
    reader: R,
    name: &'static str,
}

impl<R: Read> Read for Named<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            io::Error::new(error.kind(), format!("{} can't be read: {error}", self.name))
        })
    }
}
