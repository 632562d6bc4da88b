//! The pages. Owns: routes, forms, sessions' cookies, HTML, the words of the interface. Handlers extract, make one
//! service or read call, and render. Must not know: SQL, programs, the sandbox.

pub mod api;
pub mod assets;
pub mod board_folder;
mod contest_path;
pub mod error;
pub mod extract;
pub mod i18n;
pub mod listen;
pub mod middleware;
pub mod pages;
mod router;
mod sending;
pub mod state;
mod unread;
pub mod view;
pub mod watching;

pub use error::WebError;
pub use router::router;
pub use state::{AppState, DiskUse, Host, HostFinding, OfferedLanguage};
