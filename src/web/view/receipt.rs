//! A judgement's receipt as a table: the hashes and limits that the verdict depends on. Must not know: who may see which
//! part, how a receipt is made; it shows all it is given.

use serde_json::Value;

/// The lines of a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// (name, value): names of parts within parts are joined by ` / `.
    pub lines: Vec<(String, String)>,
}

impl Receipt {
    /// Reads what is stored; `None` when it is no receipt or nothing is left of it.
    pub fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let mut lines = Vec::new();
        for (name, value) in value.as_object()? {
            collect(&mut lines, name, value);
        }
        (!lines.is_empty()).then_some(Self { lines })
    }
}

fn collect(lines: &mut Vec<(String, String)>, name: &str, value: &Value) {
    match value {
        Value::Object(parts) => {
            for (part, value) in parts {
                collect(lines, &format!("{name} / {part}"), value);
            }
        }
        Value::Array(parts) => {
            for (index, value) in parts.iter().enumerate() {
                collect(lines, &format!("{name} / {}", index + 1), value);
            }
        }
        Value::String(text) => lines.push((name.to_owned(), text.clone())),
        Value::Null => {}
        other => lines.push((name.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_within_parts_get_a_line_each() {
        let receipt = Receipt::read(r#"{"source":"ab","tools":{"gcc":"cd"},"limits":{"cpu_ms":1000},"none":null}"#);
        let lines = receipt.unwrap().lines;
        let mut lines: Vec<(&str, &str)> = lines.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        lines.sort_unstable();
        assert_eq!(lines, [("limits / cpu_ms", "1000"), ("source", "ab"), ("tools / gcc", "cd")]);
        assert_eq!(Receipt::read("{}"), None);
        assert_eq!(Receipt::read("nonsense"), None);
    }
}
