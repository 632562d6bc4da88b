//! One file per page.
