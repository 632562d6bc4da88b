//! Moments and spans. The clock itself is read only at the edges and passed in, last, as `now`.

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct EpochMs(pub i64);

impl EpochMs {
    /// Milliseconds from `earlier` to `self`; negative when `self` is the earlier one.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    /// This moment and so many milliseconds more.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0 + ms)
    }
}
