//! A ZIP archive of a few small files, stored as they are: enough for samples and statements, and readable everywhere.
//! Must not know: what is in it.

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, folders with `/`.
    pub name: String,
    /// What is in it.
    pub contents: Vec<u8>,
}

/// 1980-01-01, the first day that the format knows: the same files make the same archive.
const DATE: u16 = 0x21;

/// The archive (PKWARE APPNOTE 6.3, method 0). Files beyond 4 GiB would need another form; a caller gives small ones.
pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = len32(out.len());
        let fields = fields(entry);
        out.extend(0x0403_4b50_u32.to_le_bytes());
        out.extend(&fields);
        out.extend(entry.name.as_bytes());
        out.extend(&entry.contents);
        directory.extend(0x0201_4b50_u32.to_le_bytes());
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&fields);
        // No comment, one disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let (start, size) = (len32(out.len()), len32(directory.len()));
    let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
    out.extend(&directory);
    out.extend(0x0605_4b50_u32.to_le_bytes());
    out.extend([0; 4]);
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// What both headers of a file say, from "version needed" to "extra field length".
fn fields(entry: &Entry) -> Vec<u8> {
    let mut fields = Vec::with_capacity(26);
    // Bit 11: the name is UTF-8.
    let flags = if entry.name.is_ascii() { 0 } else { 1 << 11 };
    for word in [20, flags, 0, 0, DATE] {
        fields.extend(word.to_le_bytes());
    }
    let size = len32(entry.contents.len());
    for long in [crc32(&entry.contents), size, size] {
        fields.extend(long.to_le_bytes());
    }
    fields.extend(u16::try_from(entry.name.len()).unwrap_or(u16::MAX).to_le_bytes());
    fields.extend(0_u16.to_le_bytes());
    fields
}

fn len32(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// CRC-32 as ZIP wants it (polynomial 0xEDB88320), bit by bit: the files are small.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn names_and_contents_stand_where_the_directory_says() {
        let entries = [("a.in", "1 2\n"), ("b/c.ans", "")];
        let entries = entries.map(|(name, text)| Entry { name: name.to_owned(), contents: text.as_bytes().to_vec() });
        let archive = zip(&entries);
        assert_eq!(archive.len(), 30 + 4 + 4 + 30 + 7 + 46 + 4 + 46 + 7 + 22);
        assert_eq!(&archive[30..38], b"a.in1 2\n");
        let end = archive.len() - 22;
        let start = u32::from_le_bytes(archive[end + 16..end + 20].try_into().unwrap()) as usize;
        assert_eq!(&archive[start..start + 4], b"PK\x01\x02");
        let offset = u32::from_le_bytes(archive[start + 50 + 42..start + 50 + 46].try_into().unwrap()) as usize;
        assert_eq!(&archive[offset..offset + 4], b"PK\x03\x04");
    }
}
