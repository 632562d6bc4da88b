//! Bytes and descriptors over a sequenced-packet socket.
//!
//! Owns: how values become bytes and one message becomes one packet. Must not know: what the messages mean
//! (`protocol` does).

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};

/// Largest packet, bytes: below the default send buffer of a socket.
pub(super) const MAX_PACKET: usize = 160 << 10;

const MAX_FDS: usize = 8;

/// Two connected ends, both close-on-exec.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Sends one packet. Never raises SIGPIPE.
pub(super) fn send(socket: impl AsFd, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(socket.as_fd(), &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

/// One received packet.
pub(super) struct Packet {
    /// Length of what was put into the buffer.
    pub(super) len: usize,
    /// Descriptors that came along, close-on-exec.
    pub(super) fds: Vec<OwnedFd>,
}

/// A buffer that any packet fits into.
pub(super) fn packet_buffer() -> Vec<u8> {
    vec![0; MAX_PACKET]
}

/// Waits for one packet; `None` when the other end is gone.
pub(super) fn receive(socket: impl AsFd, buffer: &mut [u8]) -> io::Result<Option<Packet>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(socket.as_fd(), &mut [IoSliceMut::new(buffer)], &mut control, RecvFlags::CMSG_CLOEXEC)
    });
    let received = match received {
        Err(rustix::io::Errno::CONNRESET) => return Ok(None),
        other => other?,
    };
    let mut fds = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    if received.bytes == 0 {
        return Ok(None);
    }
    if received.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a packet was cut"));
    }
    Ok(Some(Packet { len: received.bytes, fds }))
}

/// Appends values to a packet.
#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn i32(&mut self, value: i32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, value: &[u8]) {
        self.u64(value.len() as u64);
        self.0.extend(value);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Takes values off a packet; `None` when it is too short.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        self.u8().map(|byte| byte != 0)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    pub(super) fn bytes(&mut self) -> Option<Vec<u8>> {
        let len = usize::try_from(self.u64()?).ok()?;
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head.to_vec())
    }

    pub(super) fn string(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    /// A list whose length comes first.
    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let len = self.u64()?;
        (0..len).map(|_| item(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn values_come_back_as_they_went() {
        let mut w = Writer::default();
        w.u8(7);
        w.u64(u64::MAX);
        w.i32(-5);
        w.bytes("ä\0".as_bytes());
        let bytes = w.into_bytes();
        let mut r = Reader::new(&bytes);
        assert_eq!(r.u8(), Some(7));
        assert_eq!(r.u64(), Some(u64::MAX));
        assert_eq!(r.i32(), Some(-5));
        assert_eq!(r.string().as_deref(), Some("ä\0"));
        assert_eq!(r.u8(), None);
    }

    #[test]
    fn a_lying_length_is_refused() {
        let mut w = Writer::default();
        w.u64(u64::MAX);
        let bytes = w.into_bytes();
        assert_eq!(Reader::new(&bytes).bytes(), None);
        assert_eq!(Reader::new(&bytes).list(Reader::u8), None);
    }

    #[test]
    fn descriptors_travel_with_their_packet_and_a_closed_end_is_noticed() -> io::Result<()> {
        let (a, b) = pair()?;
        let (mut reader, writer) = io::pipe()?;
        send(&a, b"x", &[writer.as_fd()])?;
        drop(writer);
        let mut buffer = packet_buffer();
        let packet = receive(&b, &mut buffer)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        assert_eq!((packet.len, packet.fds.len()), (1, 1));
        drop(packet);
        assert_eq!(reader.read(&mut [0])?, 0);
        drop(a);
        assert!(receive(&b, &mut buffer)?.is_none());
        Ok(())
    }
}
