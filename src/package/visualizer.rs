//! The program that draws inputs: `input_visualizer/` (format, "Input visualizer"). It is for people only; a package is
//! the same without it.

use super::model::Program;
use super::programs;
use super::tree::PackageTree;

/// The package's input visualizer.
pub fn input_visualizer(tree: &PackageTree) -> Option<Program> {
    programs::of_folder(tree, "input_visualizer")
}
