//! The standard streams of a run, as the server holds them.
//!
//! Owns: feeding standard input, and keeping output up to its limit. Must not know: when a run ends.
//!
//! Output comes through pipes and not through files: what a program writes then isn't charged to its memory, the limit
//! holds to the byte, and standard error beyond its limit can be dropped without the program noticing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
use rustix::pipe::PipeFlags;

use super::report::Captured;
use super::spec::Stdin;

/// A descriptor of its own for the program, from which the source can't be changed.
///
/// `own_ids`: programs run as a user who owns nothing on the host.
pub(super) fn open_stdin(stdin: &Stdin, own_ids: bool) -> io::Result<OwnedFd> {
    match stdin {
        Stdin::Null => Ok(File::open("/dev/null")?.into()),
        Stdin::Bytes(bytes) => sealed(|file| file.write_all(bytes)),
        Stdin::File(file) => {
            let mut own = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
            let metadata = own.metadata()?;
            if !metadata.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "standard input is not a regular file"));
            }
            // A descriptor leads back to its file by way of /proc/self/fd, with the rights of the opener: programs
            // often read /dev/stdin by name, so they must be able to read it, and must not be able to write it.
            let mode = metadata.permissions().mode();
            if own_ids && mode & 0o004 != 0 && mode & 0o002 == 0 {
                return Ok(own.into());
            }
            sealed(|copy| io::copy(&mut own, copy).map(drop))
        }
    }
}

/// A file in memory that nobody can change any more, open for reading.
pub(super) fn sealed(fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut memory = File::from(rustix::fs::memfd_create("stdin", flags)?);
    fill(&mut memory)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&memory, seals)?;
    Ok(OpenOptions::new().read(true).open(format!("/proc/self/fd/{}", memory.as_raw_fd()))?.into())
}

/// One output stream of a program.
#[derive(Debug)]
pub(super) struct Output {
    pipe: Option<OwnedFd>,
    file: File,
    kept: u64,
    limit: u64,
    truncated: bool,
}

/// Bytes taken from a pipe at once; a pipe holds as many by default.
const CHUNK: usize = 64 << 10;

impl Output {
    /// The stream, and the end for the program.
    ///
    /// `own_ids`: the program has another id, and may still open its own stream by name (`/dev/stdout`).
    pub(super) fn new(name: &str, limit: u64, own_ids: bool) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        // Not for the program's end: whoever inherits that may rely on writes that wait.
        rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
        if own_ids {
            rustix::fs::fchmod(&theirs, Mode::from_raw_mode(0o622))?;
        }
        let file = File::from(rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC)?);
        Ok((Self { pipe: Some(ours), file, kept: 0, limit, truncated: false }, theirs))
    }

    /// What to wait on; `None` when nobody can write any more.
    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// More was written than may be kept.
    pub(super) fn overflowed(&self) -> bool {
        self.truncated
    }

    /// Takes what is there now.
    pub(super) fn drain(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        while let Some(pipe) = &self.pipe {
            match rustix::io::read(pipe, &mut *buffer) {
                Ok(0) => self.pipe = None,
                Ok(len) => {
                    let room = usize::try_from(self.limit - self.kept).unwrap_or(usize::MAX);
                    let kept = len.min(room);
                    self.file.write_all(&buffer[..kept])?;
                    self.kept += kept as u64;
                    self.truncated |= kept < len;
                    if len < buffer.len() {
                        return Ok(());
                    }
                }
                Err(rustix::io::Errno::AGAIN) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(cause) => return Err(cause.into()),
            }
        }
        Ok(())
    }

    /// Takes the rest. To be called when every process is dead.
    pub(super) fn finish(mut self, buffer: &mut [u8]) -> io::Result<Captured> {
        self.drain(buffer)?;
        while self.pipe.is_some() {
            let before = self.kept;
            self.drain(buffer)?;
            if self.pipe.is_some() && self.kept == before {
                // Somebody still holds the other end: only possible for a descriptor in flight. Nothing more comes.
                break;
            }
        }
        self.file.seek(SeekFrom::Start(0))?;
        Ok(Captured { file: self.file, len: self.kept, truncated: self.truncated })
    }
}

/// A buffer for [`Output::drain`].
pub(super) fn chunk() -> Vec<u8> {
    vec![0; CHUNK]
}

/// Reads at most `max` bytes of a file that a program wrote, or only says how long it is.
pub(super) fn read_at_most(file: &File, len: u64, max: u64) -> io::Result<Option<Vec<u8>>> {
    if len > max {
        return Ok(None);
    }
    let mut contents = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.take(max).read_to_end(&mut contents)?;
    Ok(Some(contents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn text(captured: &mut Captured) -> io::Result<String> {
        let mut text = String::new();
        captured.file.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn output_is_kept_to_the_byte() -> io::Result<()> {
        for (limit, kept, truncated) in [(6, "abcdef", false), (5, "abcde", true), (0, "", true)] {
            let (output, theirs) = Output::new("test", limit, true)?;
            File::from(theirs).write_all(b"abcdef")?;
            let mut captured = output.finish(&mut chunk())?;
            assert_eq!((text(&mut captured)?.as_str(), captured.len, captured.truncated), (kept, limit, truncated));
        }
        Ok(())
    }

    #[test]
    fn standard_input_starts_at_the_start_and_cannot_be_changed() -> io::Result<()> {
        let mut original = tempfile::tempfile()?;
        original.write_all(b"input")?;
        for own_ids in [false, true] {
            let stdin = open_stdin(&Stdin::File(Arc::new(original.try_clone()?)), own_ids)?;
            let mut file = File::from(stdin);
            let mut read = String::new();
            file.read_to_string(&mut read)?;
            assert_eq!(read, "input");
            assert!(file.write_all(b"x").is_err());
            let again = OpenOptions::new().write(true).open(format!("/proc/self/fd/{}", file.as_raw_fd()));
            // With ids of their own it is the file's mode that stops programs, and not whoever runs this test.
            assert!(own_ids || again.and_then(|mut file| file.write_all(b"x")).is_err());
        }
        Ok(())
    }

    #[test]
    fn standard_input_must_be_a_regular_file() -> io::Result<()> {
        let device = Stdin::File(Arc::new(File::open("/dev/zero")?));
        assert!(open_stdin(&device, true).is_err());
        Ok(())
    }
}
