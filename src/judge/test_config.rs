//! What is stored with a test case for judging it: plain data as JSON. Must not know: the database.

use serde::{Deserialize, Serialize};

use crate::domain::hash::Sha256;

/// Judging's own settings of a test case, as stored with it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TestConfig {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) output_validator_args: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) args: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<(String, Sha256)>,
}

impl TestConfig {
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned())
    }
}
