//! What the staff is told of the judge's health and its machines, by the API that says what the page says.

use serde_json::Value;

use crate::waiting::{LOOK_EVERY, WAIT};

/// A judge at a server.
pub struct Staff {
    address: String,
    token: String,
}

impl Staff {
    pub fn new(address: &str, token: String) -> Self {
        Self { address: address.to_owned(), token }
    }

    async fn ask(&self, what: &str) -> Value {
        let asked = reqwest::Client::new().get(format!("{}/api/v4/touchstone/{what}", self.address));
        let answer = asked.bearer_auth(&self.token).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }

    /// What is wrong with NATS.
    pub async fn nats_trouble(&self) -> Option<String> {
        self.ask("health").await["farm_trouble"].as_str().map(str::to_owned)
    }

    /// Looks until what is wrong with NATS says this; `None`: until nothing is wrong.
    pub async fn is_told(&self, words: Option<&str>) {
        let mut last = None;
        let looking = async {
            loop {
                last = self.nats_trouble().await;
                if last.as_deref().map_or(words.is_none(), |told| words.is_some_and(|words| told.contains(words))) {
                    return;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let came = tokio::time::timeout(WAIT, looking).await;
        assert!(came.is_ok(), "{words:?} is not told, but {last:?}");
    }

    /// One machine.
    pub async fn machine(&self, name: &str) -> Value {
        let all = self.ask("machines").await;
        let found = all.as_array().unwrap().iter().find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("no machine {name}: {all}")).clone()
    }
}
