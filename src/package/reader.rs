//! Reads a whole package and tells all that is wrong with it at once.

use super::fault::{PackageError, Warning};
use super::model::Package;
use super::tree::PackageTree;
use crate::domain::slug::Slug;

impl Package {
    /// Reads and checks the package in `tree`; `slug` is the name of its folder.
    ///
    /// # Errors
    /// [`PackageError::Faults`] with everything that was found wrong, [`PackageError::Io`] when a file couldn't be read.
    pub fn read(tree: &PackageTree, slug: &Slug) -> Result<(Self, Vec<Warning>), PackageError> {
        let _ = (tree, slug);
        Err(PackageError::Faults(Vec::new()))
    }
}
