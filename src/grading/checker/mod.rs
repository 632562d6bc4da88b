//! The default output validator of the ICPC problem package format 2025-09 ("Default output validator specification").
//!
//! Owns: its arguments, the comparison and the words about a difference. Must not know files, problems or who may see a
//! difference. Outputs are bytes: NUL ends nothing, 0xFF and a byte-order mark are ordinary (and mostly wrong) bytes.

mod compare;
mod cursor;
mod decimal;
mod difference;
mod prefix;
mod stride;

pub use compare::compare;
pub use decimal::parse_decimal;
pub use difference::{Difference, DifferenceKind, Excerpt, Side};

/// How outputs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CheckerFlags {
    /// `case_sensitive`: `A` and `a` differ.
    pub case_sensitive: bool,
    /// `space_change_sensitive`: white space must be the same too.
    pub space_change_sensitive: bool,
    /// `float_absolute_tolerance E`: |output - answer| ≤ E is right.
    pub float_absolute_tolerance: Option<f64>,
    /// `float_relative_tolerance E`: |output - answer| ≤ E·|answer| is right.
    pub float_relative_tolerance: Option<f64>,
}

/// Why arguments can't be the default output validator's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFlag {
    /// No such argument.
    #[error(
        "the default output validator has no argument `{0}`; it has case_sensitive, space_change_sensitive, float_absolute_tolerance E, float_relative_tolerance E and float_tolerance E"
    )]
    Unknown(String),
    /// A tolerance without a number.
    #[error("`{0}` needs a number after it, as in `{0} 1e-6`")]
    NoValue(String),
    /// A tolerance that is no decimal number of at least 0.
    #[error("`{value}` can't be the tolerance of `{flag}`; write a decimal number of at least 0, as in 1e-6")]
    BadValue {
        /// The tolerance's name.
        flag: String,
        /// What follows it.
        value: String,
    },
    /// The same tolerance twice, or `float_tolerance` beside one of the two that it stands for.
    #[error("`{0}` sets a tolerance that is set already; give each tolerance once")]
    Again(String),
}

impl CheckerFlags {
    /// Reads `output_validator_args`.
    ///
    /// # Errors
    /// [`BadFlag`] names the first argument that can't be taken.
    pub fn parse(args: &[String]) -> Result<Self, BadFlag> {
        let mut flags = Self::default();
        let mut args = args.iter();
        while let Some(flag) = args.next() {
            match flag.as_str() {
                "case_sensitive" => flags.case_sensitive = true,
                "space_change_sensitive" => flags.space_change_sensitive = true,
                "float_absolute_tolerance" => set(&mut flags.float_absolute_tolerance, flag, args.next())?,
                "float_relative_tolerance" => set(&mut flags.float_relative_tolerance, flag, args.next())?,
                "float_tolerance" => {
                    let value = args.next();
                    set(&mut flags.float_absolute_tolerance, flag, value)?;
                    set(&mut flags.float_relative_tolerance, flag, value)?;
                }
                _ => return Err(BadFlag::Unknown(flag.chars().take(80).collect())),
            }
        }
        Ok(flags)
    }

    /// Arguments that [`CheckerFlags::parse`] reads as these flags.
    pub fn args(&self) -> Vec<String> {
        let mut args = Vec::new();
        args.extend(self.case_sensitive.then(|| "case_sensitive".to_owned()));
        args.extend(self.space_change_sensitive.then(|| "space_change_sensitive".to_owned()));
        let tolerances = match (self.float_absolute_tolerance, self.float_relative_tolerance) {
            (Some(absolute), Some(relative)) if absolute.to_bits() == relative.to_bits() => {
                vec![("float_tolerance", absolute)]
            }
            (absolute, relative) => {
                let absolute = absolute.map(|tolerance| ("float_absolute_tolerance", tolerance));
                absolute.into_iter().chain(relative.map(|tolerance| ("float_relative_tolerance", tolerance))).collect()
            }
        };
        args.extend(tolerances.into_iter().flat_map(|(name, tolerance)| [name.to_owned(), format!("{tolerance:e}")]));
        args
    }

    /// Whether numbers are compared as numbers.
    pub const fn compares_floats(&self) -> bool {
        self.float_absolute_tolerance.is_some() || self.float_relative_tolerance.is_some()
    }

    /// Whether a token of the output is right where the answer has `answer`, and why not as a number.
    fn accepts(&self, answer: &[u8], output: &[u8]) -> bool {
        if self.compares_floats()
            && let Some(expected) = parse_decimal(answer)
        {
            return parse_decimal(output).is_some_and(|got| self.close(expected, got));
        }
        if self.case_sensitive { answer == output } else { answer.eq_ignore_ascii_case(output) }
    }

    fn close(&self, expected: f64, got: f64) -> bool {
        let error = (got - expected).abs();
        let within = |tolerance: Option<f64>, scale: f64| tolerance.is_some_and(|epsilon| error <= epsilon * scale);
        within(self.float_absolute_tolerance, 1.0) || within(self.float_relative_tolerance, expected.abs())
    }
}

fn set(slot: &mut Option<f64>, flag: &str, value: Option<&String>) -> Result<(), BadFlag> {
    let value = value.ok_or_else(|| BadFlag::NoValue(flag.to_owned()))?;
    let tolerance = parse_decimal(value.as_bytes())
        .filter(|tolerance| *tolerance >= 0.0)
        .ok_or_else(|| BadFlag::BadValue { flag: flag.to_owned(), value: value.chars().take(80).collect() })?;
    if slot.replace(tolerance).is_some() {
        return Err(BadFlag::Again(flag.to_owned()));
    }
    Ok(())
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// The output is right.
    Same,
    /// It isn't; this is the first difference.
    Different(Box<Difference>),
}

impl Comparison {
    /// Whether the output is right.
    pub const fn is_same(&self) -> bool {
        matches!(self, Self::Same)
    }
}

/// The six white-space bytes of the format: space, form feed, line feed, carriage return, tab, vertical tab.
const fn is_space(byte: u8) -> bool {
    // 9 to 13 are tab, line feed, vertical tab, form feed and carriage return.
    byte == b' ' || byte.wrapping_sub(9) < 5
}

#[cfg(test)]
mod tests;
