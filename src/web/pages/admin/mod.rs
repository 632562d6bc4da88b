//! Pages for setters, judges and admins. Every handler asks for the role first. Must not know: how tests are answered.

pub mod affiliations;
pub mod audit;
pub mod contest;
mod contest_form;
pub mod contest_new;
mod desk;
pub mod health;
pub mod import;
pub mod machines;
pub mod overview;
pub mod people;
pub mod people_import;
pub mod problem;
pub mod problem_settings;
pub mod proposal;
pub mod registration;
pub mod rejudge;
pub mod rejudging;
pub mod statement;
pub mod teams;
pub mod test_case;
pub mod test_new;
pub mod tests_many;
pub mod verification;
pub mod versions;

mod refusals;
