//! Draws a package's samples with its input visualizer, in the sandbox. The format leaves open where the picture goes: it
//! is taken from standard output, as SVG. A visualizer that fails costs the picture, never the package.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::picture::{MAX_PICTURE_BYTES, Picture};
use crate::package::visualizer::input_visualizer;
use crate::package::{Package, PackageTree};
use crate::sandbox::{Bind, End, Freshness, Stdin};

use super::fault::JudgeFault;
use super::package_program::{PackageBuild, build, validation_limits};
use super::program::{BuiltProgram, Start};
use super::test_file::{self, TestFile};
use super::workshop::Workshop;

/// Where the input lies for the visualizer.
const INPUT: &str = "/picture/input";
/// Where the answer lies for the visualizer.
const ANSWER: &str = "/picture/answer";

/// A package's artist, built once for all samples; `None` where it has none or it can't be built here.
pub struct Artist<'a> {
    workshop: &'a Workshop,
    program: Arc<BuiltProgram>,
    package: &'a Package,
}

impl<'a> Artist<'a> {
    /// Builds the package's visualizer.
    pub fn of(workshop: &'a Workshop, tree: &PackageTree, package: &'a Package) -> Option<Self> {
        let program = input_visualizer(tree)?;
        let problem = &package.slug;
        match build(workshop, tree, &program.files, &program.entry) {
            Ok(PackageBuild::Ready(program)) => Some(Self { workshop, program, package }),
            Ok(PackageBuild::Refused(reason)) => {
                tracing::warn!(%problem, reason, "the input visualizer can't be built; there are no pictures");
                None
            }
            Ok(PackageBuild::NotOffered { language, reason }) => {
                tracing::warn!(%problem, %language, reason, "the input visualizer can't be built here");
                None
            }
            Err(fault) => {
                tracing::warn!(%problem, %fault, "the input visualizer could not be built");
                None
            }
        }
    }

    /// The picture of an input, made safe; `None` where none came out.
    pub fn draw(&self, input: &TestFile, answer: &TestFile) -> Option<String> {
        match self.try_to_draw(input, answer) {
            Ok(Ok(picture)) => Some(picture),
            Ok(Err(reason)) => {
                tracing::warn!(problem = %self.package.slug, reason, "the input visualizer drew nothing usable");
                None
            }
            Err(fault) => {
                tracing::warn!(problem = %self.package.slug, %fault, "the input visualizer could not be run");
                None
            }
        }
    }

    fn try_to_draw(&self, input: &TestFile, answer: &TestFile) -> Result<Result<String, String>, JudgeFault> {
        let show = |file: &TestFile, target: &str| Bind {
            source: absolute(file.path()),
            target: PathBuf::from(target),
            exec: false,
        };
        let mut limits = validation_limits(&self.package.limits);
        limits.output_bytes = limits.output_bytes.min(MAX_PICTURE_BYTES as u64);
        let start = Start {
            arguments: &[INPUT.to_owned(), ANSWER.to_owned()],
            stdin: Stdin::Null,
            limits,
            binds: vec![show(input, INPUT), show(answer, ANSWER)],
            work_files: Vec::new(),
            collect: Vec::new(),
            freshness: Freshness::Fresh,
        };
        let report = self.program.run(self.workshop, start)?;
        if report.end != End::Exited(0) || report.killed.is_some() || report.stdout.truncated {
            return Ok(Err(format!("it ended with {:?}, stopped for {:?}", report.end, report.killed)));
        }
        let mut text = Vec::new();
        let mut stream = test_file::reader(&report.stdout)?;
        std::io::Read::read_to_end(&mut stream, &mut text).map_err(JudgeFault::io("read a picture"))?;
        let text = String::from_utf8_lossy(&text);
        Ok(Picture::parse(&text).map(|picture| picture.moving()).map_err(|bad| bad.to_string()))
    }
}

/// The sandbox takes no relative paths.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
