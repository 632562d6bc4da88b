//! Messages as bytes: JSON, packed when it is long, and behind it raw bytes where a message carries contents.
//!
//! Owns: the form, and that nothing from outside grows without bound when it is unpacked.

use std::io::Read as _;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// JSON up to this length goes as it is.
const PLAIN_BYTES: usize = 16 * 1024;
/// The most that NATS is given in one message; its own default limit is 1 MiB.
pub const MAX_MESSAGE_BYTES: usize = 960 * 1024;
/// The most that a message is unpacked to.
const MAX_UNPACKED_BYTES: usize = 64 * 1024 * 1024;
/// How much of contents goes in one message.
pub const CHUNK_BYTES: usize = 256 * 1024;
/// How a packed message begins (Zstandard's magic number); JSON never does.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Fast; a message is read once.
const LEVEL: i32 = 3;

/// A message that can't be sent or understood.
#[derive(Debug, thiserror::Error)]
pub enum BadMessage {
    /// It has another form.
    #[error("the message can't be understood: {0}")]
    Form(#[from] serde_json::Error),
    /// It can't be packed or unpacked.
    #[error("the message can't be packed or unpacked: {0}")]
    Packing(#[from] std::io::Error),
    /// It is longer than NATS takes, or unpacks to more than anybody has to say.
    #[error("the message is too long: {0} bytes; {MAX_MESSAGE_BYTES} may be sent, {MAX_UNPACKED_BYTES} unpacked")]
    TooLong(usize),
}

/// A message as bytes.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, BadMessage> {
    let mut bytes = serde_json::to_vec(message)?;
    if bytes.len() > PLAIN_BYTES {
        bytes = zstd::bulk::compress(&bytes, LEVEL)?;
    }
    if bytes.len() > MAX_MESSAGE_BYTES { Err(BadMessage::TooLong(bytes.len())) } else { Ok(bytes) }
}

/// The message that these bytes are.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BadMessage> {
    if bytes.starts_with(&PACKED) {
        let mut unpacked = Vec::new();
        let mut stream = zstd::stream::read::Decoder::with_buffer(bytes)?.take(MAX_UNPACKED_BYTES as u64 + 1);
        stream.read_to_end(&mut unpacked)?;
        if unpacked.len() > MAX_UNPACKED_BYTES {
            return Err(BadMessage::TooLong(unpacked.len()));
        }
        return Ok(serde_json::from_slice(&unpacked)?);
    }
    Ok(serde_json::from_slice(bytes)?)
}

/// A message with contents behind it.
pub fn encode_with(message: &impl Serialize, contents: &[u8]) -> Result<Vec<u8>, BadMessage> {
    let mut bytes = serde_json::to_vec(message)?;
    // JSON holds no line feed of its own.
    bytes.push(b'\n');
    bytes.extend_from_slice(contents);
    if bytes.len() > MAX_MESSAGE_BYTES { Err(BadMessage::TooLong(bytes.len())) } else { Ok(bytes) }
}

/// The message and the contents behind it.
pub fn decode_with<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8]), BadMessage> {
    if bytes.starts_with(&PACKED) {
        return Ok((decode(bytes)?, &[]));
    }
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let contents = bytes.get(end + 1..).unwrap_or_default();
    Ok((serde_json::from_slice(&bytes[..end])?, contents))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_messages_are_packed() {
        let long = vec!["the same words"; 100_000];
        let bytes = encode(&long).unwrap();
        assert!(bytes.len() < PLAIN_BYTES);
        assert_eq!(decode::<Vec<String>>(&bytes).unwrap(), long);
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let bomb = zstd::bulk::compress(&vec![b' '; MAX_UNPACKED_BYTES + 1], LEVEL).unwrap();
        assert!(bomb.len() < MAX_MESSAGE_BYTES);
        assert!(matches!(decode::<Vec<String>>(&bomb), Err(BadMessage::TooLong(_))));
    }

    proptest! {
        #[test]
        fn contents_come_back(text in ".*", contents in proptest::collection::vec(any::<u8>(), 0..300)) {
            let bytes = encode_with(&text, &contents).unwrap();
            let (back, behind) = decode_with::<String>(&bytes).unwrap();
            prop_assert_eq!(back, text);
            prop_assert_eq!(behind, contents);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode::<super::super::call::Call>(&bytes);
            let packed = [&PACKED[..], &bytes].concat();
            let _ = decode_with::<super::super::call::Call>(&packed);
        }
    }
}
