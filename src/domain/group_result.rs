//! What a test group of a problem came to in one judgement.

use super::verdict::Verdict;

/// What a group came to.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GroupResult {
    /// Its name.
    pub name: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// Its score, where there are scores.
    pub score: Option<f64>,
    /// The most that it can come to, where there is such a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}
