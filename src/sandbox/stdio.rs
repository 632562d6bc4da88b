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
use std::sync::OnceLock;

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
    /// The other end, held here too: the end of the last writer is no event then, which would only wake the server up
    /// shortly before the end of the run does.
    held: Option<OwnedFd>,
    name: &'static str,
    /// Made for the first byte.
    file: Option<File>,
    kept: u64,
    limit: u64,
    truncated: bool,
}

/// Bytes taken from a pipe at once; a pipe holds as many by default.
const CHUNK: usize = 64 << 10;

impl Output {
    /// The stream. [`Output::theirs`] is the end for the program.
    ///
    /// `own_ids`: the program has another id, and may still open its own stream by name (`/dev/stdout`).
    pub(super) fn new(name: &'static str, limit: u64, own_ids: bool) -> io::Result<Self> {
        let (ours, theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        // Not for the program's end: whoever inherits that may rely on writes that wait.
        rustix::fs::fcntl_setfl(&ours, OFlags::NONBLOCK)?;
        if own_ids {
            rustix::fs::fchmod(&theirs, Mode::from_raw_mode(0o622))?;
        }
        Ok(Self { pipe: Some(ours), held: Some(theirs), name, file: None, kept: 0, limit, truncated: false })
    }

    /// The program's end, until it is let go.
    pub(super) fn theirs(&self) -> Option<BorrowedFd<'_>> {
        self.held.as_ref().map(AsFd::as_fd)
    }

    /// From now on it is noticed when nobody can write any more.
    pub(super) fn let_go(&mut self) {
        self.held = None;
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
        while self.take(buffer)?.is_some_and(|len| len == buffer.len()) {}
        Ok(())
    }

    /// Takes what fits into `buffer`, which then starts with it, and says how much; `None` if nothing is there.
    pub(super) fn take(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let Some(pipe) = &self.pipe else { return Ok(None) };
        match rustix::io::retry_on_intr(|| rustix::io::read(pipe, &mut *buffer)) {
            Ok(0) => {
                self.pipe = None;
                Ok(None)
            }
            Ok(len) => {
                let room = usize::try_from(self.limit - self.kept).unwrap_or(usize::MAX);
                let kept = len.min(room);
                if kept > 0 {
                    let file = match &mut self.file {
                        Some(file) => file,
                        none => none.insert(File::from(rustix::fs::memfd_create(self.name, MemfdFlags::CLOEXEC)?)),
                    };
                    file.write_all(&buffer[..kept])?;
                }
                self.kept += kept as u64;
                self.truncated |= kept < len;
                Ok(Some(len))
            }
            Err(rustix::io::Errno::AGAIN) => Ok(None),
            Err(cause) => Err(cause.into()),
        }
    }

    /// Takes the rest. To be called when every process is dead, so that nothing more comes.
    pub(super) fn finish(mut self, buffer: &mut [u8]) -> io::Result<Captured> {
        while self.take(buffer)?.is_some() {}
        let file = match self.file {
            Some(mut file) => {
                file.seek(SeekFrom::Start(0))?;
                file
            }
            None => empty()?,
        };
        Ok(Captured { file, len: self.kept, truncated: self.truncated })
    }
}

/// An empty file that stays so.
fn empty() -> io::Result<File> {
    static EMPTY: OnceLock<OwnedFd> = OnceLock::new();
    if EMPTY.get().is_none() {
        // Whose comes first stays.
        let _ = EMPTY.set(sealed(|_| Ok(()))?);
    }
    match EMPTY.get() {
        Some(file) => Ok(file.try_clone()?.into()),
        None => Err(io::ErrorKind::NotFound.into()),
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
            let output = Output::new("test", limit, true)?;
            let theirs = output.theirs().ok_or(io::ErrorKind::BrokenPipe)?.try_clone_to_owned()?;
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
