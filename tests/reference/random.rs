//! A small generator of random numbers, the same on every machine for the same seed.

/// splitmix64
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Any of `from..=to`.
    pub fn between(&mut self, from: usize, to: usize) -> usize {
        let width = (to - from + 1) as u64;
        from + usize::try_from(self.next() % width).unwrap_or_default()
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.between(0, 99) < percent
    }
}
