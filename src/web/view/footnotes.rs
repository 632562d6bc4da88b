//! Footnotes of a statement: a number where one is meant, and all of them as a list at the end. Numbers alone, no links:
//! what others wrote gets no names in a page. Must not know: HTML's allow-list.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};

/// The same events, with the footnotes behind everything else in the order in which they are meant first. One that is
/// never meant comes last.
pub fn at_the_end(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut order: Vec<CowStr<'_>> = Vec::new();
    let mut number = |name: &CowStr<'_>| {
        let name = CowStr::from(name.to_string());
        order.iter().position(|known| *known == name).unwrap_or_else(|| {
            order.push(name);
            order.len() - 1
        }) + 1
    };
    let mut text = Vec::with_capacity(events.len());
    let mut notes: Vec<(CowStr<'_>, Vec<Event<'_>>)> = Vec::new();
    let mut within = false;
    for event in events {
        match event {
            Event::Start(Tag::FootnoteDefinition(name)) => {
                within = true;
                notes.push((name, Vec::new()));
            }
            Event::End(TagEnd::FootnoteDefinition) => within = false,
            other => {
                let other = match other {
                    Event::FootnoteReference(name) => {
                        Event::InlineHtml(CowStr::from(format!("<sup>{}</sup>", number(&name))))
                    }
                    other => other,
                };
                match notes.last_mut().filter(|_| within) {
                    Some((_, note)) => note.push(other),
                    None => text.push(other),
                }
            }
        }
    }
    if notes.is_empty() {
        return text;
    }
    for (name, _) in &notes {
        number(name);
    }
    notes.sort_by_key(|(name, _)| order.iter().position(|known| known == name));
    text.extend([Event::Rule, Event::Start(Tag::List(Some(1)))]);
    for (_, note) in notes {
        text.push(Event::Start(Tag::Item));
        text.extend(note);
        text.push(Event::End(TagEnd::Item));
    }
    text.push(Event::End(TagEnd::List(true)));
    text
}
