//! Awards in the reader's language. Must not know: who has them.

use crate::ranking::awards::Honour;
use crate::web::i18n::Message;

/// What an award is for.
pub fn words(honour: &Honour) -> Message {
    match honour {
        Honour::Winner => Message::new("award-winner"),
        Honour::GoldMedal => Message::new("award-gold"),
        Honour::SilverMedal => Message::new("award-silver"),
        Honour::BronzeMedal => Message::new("award-bronze"),
        Honour::Rank(rank) => Message::new("award-rank").with("rank", *rank),
        Honour::HonorableMention => Message::new("award-mention"),
        Honour::FirstToSolve(label) => Message::new("award-first").with("label", label.clone()),
        Honour::GroupWinner(group) => Message::new("award-group").with("group", group.clone()),
    }
}
