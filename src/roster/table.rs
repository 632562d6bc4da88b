//! Rows of fields with their line numbers: comma-, semicolon- or tab-separated, quoted as RFC 4180 says.

/// A row.
pub(super) struct Row {
    /// Its first line, from 1.
    pub line: usize,
    /// Its fields; `None`: its quotation marks are wrong.
    pub fields: Option<Vec<String>>,
}

/// The rows of a text; empty lines are left out. A quoted field may go over several lines.
pub(super) fn rows(text: &str, separator: char) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((first, line)) = lines.next() {
        let mut whole = first.to_owned();
        // An odd number of quotation marks: a field goes on in the next line.
        while whole.matches('"').count() % 2 == 1 {
            let Some((more, _)) = lines.next() else { break };
            whole.push('\n');
            whole.push_str(more);
        }
        if !whole.trim().is_empty() {
            rows.push(Row { line, fields: split(&whole, separator) });
        }
    }
    rows
}

fn split(line: &str, separator: char) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (field, after) = if let Some(quoted) = rest.strip_prefix('"') {
            unquoted(quoted)?
        } else {
            let (field, after) = rest.split_at(rest.find(separator).unwrap_or(rest.len()));
            (field.to_owned(), after)
        };
        fields.push(field);
        match after.strip_prefix(separator) {
            Some(next) => rest = next,
            None if after.is_empty() => return Some(fields),
            None => return None,
        }
    }
}

/// The field up to its closing quotation mark (two of them are one), and what follows.
fn unquoted(mut rest: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    loop {
        let end = rest.find('"')?;
        field.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                rest = more;
            }
            None => return Some((field, rest)),
        }
    }
}
