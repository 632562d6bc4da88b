//! Why files can't be taken as a package: a sentence for each kind of harm.

use std::io;
use std::path::PathBuf;

use super::super::path::{BadPath, PackagePath};
use super::MAX_FILES;

/// Why files can't be taken as a package.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// A name that could do harm.
    #[error(transparent)]
    Path(#[from] BadPath),
    /// Bytes that are no UTF-8 text as a name.
    #[error("the file name `{0}` is not UTF-8; rename the file")]
    NotUtf8(String),
    /// Two names that differ in upper and lower case only: one would replace the other on some systems.
    #[error("`{first}` and `{second}` differ only in upper and lower case; rename one of them")]
    CaseCollision {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
    /// The same name twice.
    #[error("`{0}` is there twice")]
    Duplicate(PackagePath),
    /// The same name twice in a zip.
    #[error("the archive has two files of the same name; pack the package's folder again")]
    TwiceInZip,
    /// A link to something outside.
    #[error("`{0}` is a link to something outside the package; put the file itself there")]
    LinkOutside(String),
    /// A link to nothing, or a circle of links.
    #[error("`{0}` is a link that leads nowhere or in a circle")]
    BrokenLink(String),
    /// A pipe, socket or device.
    #[error("`{0}` is neither a file nor a folder")]
    Special(String),
    /// Over [`MAX_FILES`].
    #[error("there are more than {MAX_FILES} files; is this really a problem package?")]
    TooManyFiles,
    /// Not a folder.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// Some other kind of file with a zip's name.
    #[error("it is {0}, not a zip archive; pack the package's folder as a zip")]
    OtherArchive(&'static str),
    /// A zip that doesn't make sense.
    #[error("it is not a zip archive, or it is cut off or damaged ({0})")]
    BadZip(String),
    /// An entry that doesn't make sense.
    #[error("`{name}` can't be unpacked ({reason}); the archive is damaged, pack it again")]
    Damaged {
        /// The entry.
        name: String,
        /// What the reader of zips said.
        reason: String,
    },
    /// An entry with a password.
    #[error("`{0}` is encrypted; pack the package without a password")]
    Encrypted(String),
    /// A way of packing that isn't read.
    #[error("`{0}` is packed in a way that is not read here; pack the package with the usual method, deflate")]
    Packing(String),
    /// Over [`super::ZipCaps::total_bytes`].
    #[error("its files have more than {0} bytes when unpacked; is this really a problem package?")]
    TooLarge(u64),
    /// Over [`super::ZipCaps::ratio`].
    #[error(
        "its files are more than {0} times as large as the archive when unpacked, as in a zip bomb; real test data isn't"
    )]
    Bomb(u64),
    /// No files in it.
    #[error("the archive is empty; pack the package's folder")]
    EmptyZip,
    /// The system refused.
    #[error("{} can't be read: {source}", .path.display())]
    Io {
        /// What was to be read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
