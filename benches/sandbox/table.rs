//! Samples of several contenders, and what they come to.

use std::time::Duration;

/// One column of samples a contender, milliseconds.
pub struct Table {
    names: Vec<String>,
    samples: Vec<Vec<f64>>,
}

impl Table {
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let names: Vec<_> = names.map(str::to_owned).collect();
        let samples = names.iter().map(|_| Vec::new()).collect();
        Self { names, samples }
    }

    pub fn add(&mut self, contender: usize, took: Duration) {
        self.samples[contender].push(took.as_secs_f64() * 1e3);
    }

    fn percentile(&self, contender: usize, percent: usize) -> f64 {
        let mut sorted = self.samples[contender].clone();
        sorted.sort_by(f64::total_cmp);
        sorted[(sorted.len() - 1) * percent / 100]
    }

    pub fn median(&self, contender: usize) -> f64 {
        self.percentile(contender, 50)
    }

    /// Of the medians.
    pub fn ratio(&self, contender: usize, to: usize) -> f64 {
        self.median(contender) / self.median(to)
    }

    pub fn print(&self, title: &str) {
        println!("\n{title}\n{:<22} {:>9} {:>9} {:>8}", "", "p50 ms", "p95 ms", "x bare");
        for (index, name) in self.names.iter().enumerate() {
            let (p50, p95) = (self.median(index), self.percentile(index, 95));
            println!("{name:<22} {p50:>9.3} {p95:>9.3} {:>8.2}", self.ratio(index, 0));
        }
    }
}

/// Says of each goal whether it is met.
pub fn goals(goals: &[(&str, bool)]) {
    for (goal, met) in goals {
        println!("  {} {goal}", if *met { "met    " } else { "NOT MET" });
    }
}
