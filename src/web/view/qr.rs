//! A QR code as a drawing. Must not know: what it says.

use std::fmt::{self, Write as _};

use qrcode::types::QrError;
use qrcode::{Color, EcLevel, QrCode};

/// Light squares around the code: cameras need them (ISO/IEC 18004, 6.3.8).
const QUIET: usize = 4;

/// The dark squares, as SVG with `currentColor` left alone: a code must be dark on light in every theme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qr {
    side: usize,
    path: String,
}

impl Qr {
    /// The smallest code that says this.
    ///
    /// # Errors
    /// When it is too long for any.
    pub fn of(text: &str) -> Result<Self, QrError> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M)?;
        let width = code.width();
        let colors = code.to_colors();
        let mut path = String::new();
        for (y, row) in colors.chunks(width).enumerate() {
            let mut x = 0;
            while x < width {
                let run = row[x..].iter().take_while(|color| **color == Color::Dark).count();
                if run > 0 {
                    // Writing to a string can't fail.
                    let _ = write!(path, "M{} {}h{run}v1h-{run}z", x + QUIET, y + QUIET);
                }
                x += run.max(1);
            }
        }
        Ok(Self { side: width + 2 * QUIET, path })
    }
}

impl askama::filters::HtmlSafe for Qr {}

impl fmt::Display for Qr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { side, path } = self;
        write!(
            f,
            "<svg class=\"qr\" viewBox=\"0 0 {side} {side}\" width=\"{0}\" height=\"{0}\" aria-hidden=\"true\" \
             shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{side}v{side}h-{side}z\"/><path fill=\"#000\" \
             d=\"{path}\"/></svg>",
            side * 4
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squares that the path darkens.
    fn dark(path: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for run in path.split('M').skip(1) {
            let (at, rest) = run.split_once('h').unwrap();
            let (x, y) = at.split_once(' ').unwrap();
            let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
            let length: usize = rest.split_once('v').unwrap().0.parse().unwrap();
            found.extend((x..x + length).map(|x| (x - QUIET, y - QUIET)));
        }
        found
    }

    #[test]
    fn just_the_dark_squares_are_drawn() {
        let text = "otpauth://totp/Touchstone:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Touchstone";
        let qr = Qr::of(text).unwrap();
        let code = QrCode::with_error_correction_level(text, EcLevel::M).unwrap();
        let width = code.width();
        let wanted: Vec<(usize, usize)> =
            (0..width * width).map(|at| (at % width, at / width)).filter(|at| code[*at] == Color::Dark).collect();
        assert_eq!(dark(&qr.path), wanted);
        assert_eq!(qr.side, width + 8);
        assert!(Qr::of(&"x".repeat(10_000)).is_err());
    }
}
