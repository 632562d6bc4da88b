//! What handlers take out of a request. Must not know: pages.

pub mod client;
pub mod cookie;
pub mod csrf;
pub mod form;
pub mod large_upload;
pub mod spool;
pub mod upload;
pub mod visit;

pub use form::{BodyLimit, Fields};
pub use large_upload::LargeUpload;
pub use upload::Upload;
pub use visit::Visit;
