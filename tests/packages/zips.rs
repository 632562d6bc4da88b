//! Packages as zips: what comes back is what went in, and what could do harm is refused with nothing left behind.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;

use proptest::prelude::*;
use rstest::rstest;
use tempfile::TempDir;
use touchstone::package::{PackageTree, TreeError, Unpacked, ZipCaps};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

type Zip = ZipWriter<Cursor<Vec<u8>>>;

fn plain() -> SimpleFileOptions {
    SimpleFileOptions::default()
}

/// A zip of what `fill` puts in.
fn zip(fill: impl FnOnce(&mut Zip)) -> Vec<u8> {
    let mut zip = Zip::new(Cursor::new(Vec::new()));
    fill(&mut zip);
    zip.finish().unwrap().into_inner()
}

fn add(zip: &mut Zip, name: &str, contents: &[u8]) {
    zip.start_file(name, plain()).unwrap();
    zip.write_all(contents).unwrap();
}

fn files(names: &[&str]) -> Vec<u8> {
    zip(|zip| names.iter().for_each(|name| add(zip, name, name.as_bytes())))
}

fn unpack(bytes: &[u8], scratch: &TempDir) -> Result<Unpacked, TreeError> {
    PackageTree::from_zip(Cursor::new(bytes), scratch.path(), ZipCaps::default())
}

/// The sentence about a zip that is refused; nothing may be left in the scratch folder.
fn refusal(bytes: &[u8], caps: ZipCaps) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let Err(error) = PackageTree::from_zip(Cursor::new(bytes), scratch.path(), caps) else { panic!("it was taken") };
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
    error.to_string()
}

fn refused(bytes: &[u8]) -> String {
    refusal(bytes, ZipCaps::default())
}

fn paths(tree: &PackageTree) -> Vec<String> {
    tree.paths().map(ToString::to_string).collect()
}

#[test]
fn a_folder_around_the_package_is_left_away() {
    let scratch = tempfile::tempdir().unwrap();
    let bytes = files(&["sum/problem.yaml", "sum/data/a.in", "sum/.git/config", "__MACOSX/sum/._problem.yaml"]);
    let Unpacked { tree, top } = unpack(&bytes, &scratch).unwrap();
    assert_eq!((paths(&tree), top.as_deref()), (vec!["data/a.in".into(), "problem.yaml".into()], Some("sum")));
    assert_eq!(tree.ignored(), [".git/config"]);
    let Unpacked { tree, top } = unpack(&files(&["problem.yaml", "data/a.in"]), &scratch).unwrap();
    assert_eq!((tree.paths().count(), top), (2, None));
    let Unpacked { tree, top } = unpack(&files(&["a/problem.yaml", "b/problem.yaml"]), &scratch).unwrap();
    assert_eq!((tree.paths().count(), top), (2, None), "two packages are none: problem.yaml is missing");
}

#[test]
fn unpacked_files_go_with_the_tree() {
    let scratch = tempfile::tempdir().unwrap();
    let unpacked = unpack(&files(&["problem.yaml"]), &scratch).unwrap();
    let copy = unpacked.tree.clone();
    drop(unpacked);
    assert_eq!(copy.read(&"problem.yaml".parse().unwrap()).unwrap(), b"problem.yaml");
    drop(copy);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[rstest]
#[case("../x", "the path `../x` has `.` or `..` in it; a package can't point outside its folder")]
#[case("a/../../x", "the path `a/../../x` has `.` or `..` in it; a package can't point outside its folder")]
#[case("/etc/passwd", "the path `/etc/passwd` is absolute; paths in a package are relative to its folder")]
#[case("C:/x", "the path `C:/x` is absolute; paths in a package are relative to its folder")]
#[case("..\\x", "the path `..\\\\x` has a backslash or a control character in it; rename the file")]
#[case("a\nb", "the path `a\\nb` has a backslash or a control character in it; rename the file")]
fn names_that_could_do_harm(#[case] name: &str, #[case] sentence: &str) {
    assert_eq!(refused(&files(&["problem.yaml", name])), sentence);
    let folder = zip(|zip| {
        add(zip, "problem.yaml", b"");
        zip.add_directory(name, plain()).unwrap();
    });
    assert_eq!(refused(&folder), sentence, "as a folder");
}

#[rstest]
#[case(&["Data/a", "data/b"], "`Data` and `data` differ only in upper and lower case; rename one of them")]
#[case(&["x/a.in", "x/A.in"], "`x/a.in` and `x/A.in` differ only in upper and lower case; rename one of them")]
#[case(&["a", "a/b"], "`a` is there twice")]
fn names_that_collide(#[case] names: &[&str], #[case] sentence: &str) {
    assert_eq!(refused(&files(names)), sentence);
}

#[test]
fn a_name_twice_is_refused() {
    let mut bytes = files(&["data/a.in", "data/b.in"]);
    while let Some(at) = bytes.windows(9).position(|window| window == b"data/b.in") {
        bytes[at..at + 9].copy_from_slice(b"data/a.in");
    }
    assert_eq!(refused(&bytes), "the archive has two files of the same name; pack the package's folder again");
}

#[test]
fn a_name_that_is_not_utf8_is_refused() {
    let mut bytes = files(&["data/aXb"]);
    while let Some(at) = bytes.windows(8).position(|window| window == b"data/aXb") {
        bytes[at + 6] = 0xff;
    }
    assert_eq!(refused(&bytes), "the file name `data/a\\xffb` is not UTF-8; rename the file");
}

#[rstest]
#[case(b"Rar!\x1a\x07\x01\x00 and more", "it is a RAR archive, not a zip archive; pack the package's folder as a zip")]
#[case(b"7z\xbc\xaf\x27\x1c", "it is a 7z archive, not a zip archive; pack the package's folder as a zip")]
#[case(b"\x1f\x8b\x08", "it is a gzip file, not a zip archive; pack the package's folder as a zip")]
#[case(b"<!doctype html>", "it is a page of text, not a zip archive; pack the package's folder as a zip")]
#[case(b"", "it is an empty file, not a zip archive; pack the package's folder as a zip")]
#[case(b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "the archive is empty; pack the package's folder")]
#[case(b"hello", "it is not a zip archive, or it is cut off or damaged (it does not begin as one)")]
fn other_files_with_a_zips_name(#[case] bytes: &[u8], #[case] sentence: &str) {
    assert_eq!(refused(bytes), sentence);
}

#[test]
fn a_tar_archive_is_named() {
    let mut bytes = vec![0; 512];
    bytes[257..262].copy_from_slice(b"ustar");
    assert_eq!(refused(&bytes), "it is a tar archive, not a zip archive; pack the package's folder as a zip");
}

#[test]
fn something_in_front_of_a_zip_is_refused() {
    let mut bytes = b"Rar!\x1a\x07".to_vec();
    bytes.extend(files(&["problem.yaml"]));
    assert!(refused(&bytes).starts_with("it is a RAR archive"));
}

#[test]
fn cut_off_and_damaged_zips_are_refused() {
    let bytes = files(&["problem.yaml", "data/a.in"]);
    assert!(refused(&bytes[..bytes.len() - 10]).starts_with("it is not a zip archive, or it is cut off or damaged"));
    let mut bytes = zip(|zip| {
        zip.start_file("a.in", plain().compression_method(zip::CompressionMethod::Stored)).unwrap();
        zip.write_all(b"important").unwrap();
    });
    let at = bytes.windows(9).position(|window| window == b"important").unwrap();
    bytes[at] = b'x';
    let said = refused(&bytes);
    assert!(said.starts_with("`a.in` can't be unpacked (") && said.ends_with("pack it again"), "{said}");
}

/// Sets a bit or a field in every header of a zip: at `local` after a file's header, at `central` in the list.
fn patch(bytes: &mut [u8], local: usize, central: usize, value: u8) {
    for (magic, offset) in [(b"PK\x03\x04", local), (b"PK\x01\x02", central)] {
        let places: Vec<usize> =
            bytes.windows(4).enumerate().filter(|(_, window)| window == magic).map(|(at, _)| at).collect();
        for at in places {
            bytes[at + offset] = value;
        }
    }
}

#[test]
fn encrypted_entries_are_refused() {
    let mut bytes = files(&["problem.yaml"]);
    patch(&mut bytes, 6, 8, 1);
    assert_eq!(refused(&bytes), "`problem.yaml` is encrypted; pack the package without a password");
}

#[test]
fn other_ways_of_packing_are_refused() {
    let mut bytes = files(&["problem.yaml"]);
    patch(&mut bytes, 8, 10, 14);
    let sentence =
        "`problem.yaml` is packed in a way that is not read here; pack the package with the usual method, deflate";
    assert_eq!(refused(&bytes), sentence);
}

#[test]
fn devices_and_pipes_are_refused() {
    let bytes = zip(|zip| {
        zip.start_file("pipe", plain().unix_permissions(0o644)).unwrap();
    });
    let mut bytes = bytes;
    // The mode lies in the upper half of the external attributes.
    let at = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap() + 40;
    bytes[at..at + 2].copy_from_slice(&0o010_644_u16.to_le_bytes());
    assert_eq!(refused(&bytes), "`pipe` is neither a file nor a folder");
}

#[rstest]
#[case("data/l", "/etc/passwd", "`data/l` is a link to something outside the package; put the file itself there")]
#[case("data/l", "../../etc/passwd", "`data/l` is a link to something outside the package; put the file itself there")]
#[case("data/l", "nowhere", "`data/l` is a link that leads nowhere or in a circle")]
#[case("data/l", "l", "`data/l` is a link that leads nowhere or in a circle")]
fn links_that_leave_or_lead_nowhere(#[case] link: &str, #[case] target: &str, #[case] sentence: &str) {
    let with = |top: &str| {
        zip(|zip| {
            add(zip, &format!("{top}problem.yaml"), b"");
            zip.add_symlink(format!("{top}{link}"), target, plain()).unwrap();
        })
    };
    assert_eq!(refused(&with("")), sentence);
    let inside = refused(&with("sum/"));
    assert_eq!(inside, sentence.replace("data/l", "sum/data/l"), "with a folder around");
}

#[test]
fn links_inside_are_followed() {
    let bytes = zip(|zip| {
        add(zip, "sum/problem.yaml", b"");
        add(zip, "sum/data/sample/1.in", b"1 2\n");
        zip.add_symlink("sum/data/secret/1.in", "../sample/1.in", plain()).unwrap();
        zip.add_symlink("sum/data/secret/2.in", "1.in", plain()).unwrap();
        zip.add_symlink("sum/data/copy", "sample/", plain()).unwrap();
    });
    let scratch = tempfile::tempdir().unwrap();
    let tree = unpack(&bytes, &scratch).unwrap().tree;
    let expected = ["data/copy/1.in", "data/sample/1.in", "data/secret/1.in", "data/secret/2.in", "problem.yaml"];
    assert_eq!(paths(&tree), expected);
    assert_eq!(tree.read(&"data/secret/2.in".parse().unwrap()).unwrap(), b"1 2\n");
}

#[test]
fn bombs_are_stopped_while_they_unpack() {
    let bytes = zip(|zip| {
        zip.start_file("data/zeros.in", plain()).unwrap();
        std::io::copy(&mut std::io::repeat(0).take(8 << 20), zip).unwrap();
    });
    let caps = ZipCaps { total_bytes: 1 << 30, ratio: 100, free_bytes: 1 << 20 };
    let sentence = "its files are more than 100 times as large as the archive when unpacked, as in a zip bomb; real test data isn't";
    assert_eq!(refusal(&bytes, caps), sentence);
    let caps = ZipCaps { total_bytes: 4 << 20, ratio: 1_000_000, free_bytes: 1 << 30 };
    let sentence = "its files have more than 4194304 bytes when unpacked; is this really a problem package?";
    assert_eq!(refusal(&bytes, caps), sentence);
    assert!(unpack(&bytes, &tempfile::tempdir().unwrap()).is_ok(), "a little of it is real test data");
}

#[test]
fn links_count_as_what_they_lead_to() {
    let bytes = zip(|zip| {
        add(zip, "a", &[b'x'; 1000]);
        for index in 0..50 {
            zip.add_symlink(format!("l{index}"), "a", plain()).unwrap();
        }
    });
    let caps = ZipCaps { total_bytes: 20_000, ..ZipCaps::default() };
    assert!(refusal(&bytes, caps).starts_with("its files have more than 20000 bytes"));
}

#[test]
fn sizes_that_lie_do_not_help() {
    let mut bytes = zip(|zip| {
        zip.start_file("zeros", plain()).unwrap();
        std::io::copy(&mut std::io::repeat(0).take(1 << 20), zip).unwrap();
    });
    // The uncompressed size in both headers becomes 1.
    for (magic, offset) in [(b"PK\x03\x04", 22), (b"PK\x01\x02", 24)] {
        let at = bytes.windows(4).position(|window| window == magic).unwrap();
        bytes[at + offset..at + offset + 4].copy_from_slice(&1_u32.to_le_bytes());
    }
    let caps = ZipCaps { total_bytes: 1000, ratio: 1_000_000, free_bytes: 0 };
    assert!(!refusal(&bytes, caps).is_empty());
}

#[test]
fn very_many_files_are_refused() {
    let bytes = zip(|zip| {
        for index in 0..100_000 {
            zip.start_file(
                format!("data/secret/{index}.in"),
                plain().compression_method(zip::CompressionMethod::Stored),
            )
            .unwrap();
        }
    });
    assert_eq!(refused(&bytes), "there are more than 20000 files; is this really a problem package?");
}

fn tree_of(folder: &Path, files: &BTreeMap<String, (Vec<u8>, bool)>) -> PackageTree {
    use std::os::unix::fs::PermissionsExt as _;
    for (name, (contents, executable)) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        let mode = if *executable { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    PackageTree::from_folder(folder).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Folder to zip to folder: every name, byte and executable bit comes back, and the zip is the same each time.
    #[test]
    fn what_goes_in_comes_back(
        files in proptest::collection::btree_map(
            "[a-z_][a-z0-9_.-]{0,6}(/[a-z0-9][a-z0-9_.-]{0,6}){0,3}",
            (proptest::collection::vec(any::<u8>(), 0..300), any::<bool>()),
            1..12,
        ),
    ) {
        let names: Vec<&String> = files.keys().collect();
        let clash = names.iter().any(|name| names.iter().any(|other| other.starts_with(&format!("{name}/"))));
        prop_assume!(!clash && !names.iter().any(|name| name.ends_with("problem.yaml")));
        let folder = tempfile::tempdir().unwrap();
        let before = tree_of(folder.path(), &files);
        prop_assert_eq!(before.paths().count(), files.len());
        let bytes = before.write_zip(Cursor::new(Vec::new()), "top").unwrap().into_inner();
        prop_assert_eq!(&bytes, &before.write_zip(Cursor::new(Vec::new()), "top").unwrap().into_inner());
        let scratch = tempfile::tempdir().unwrap();
        let tree = unpack(&bytes, &scratch).unwrap().tree;
        let out = tempfile::tempdir().unwrap();
        tree.materialize(out.path()).unwrap();
        let after = PackageTree::from_folder(&out.path().join("top")).unwrap();
        prop_assert_eq!(after.manifest().unwrap(), before.manifest().unwrap());
    }

    /// Whatever happens to a zip's bytes, reading it ends with a tree or a sentence, and refusing leaves nothing behind.
    #[test]
    fn any_bytes_are_read_or_refused(
        at in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(), does_cut in any::<bool>(),
    ) {
        let mut bytes = zip(|zip| {
            add(zip, "sum/problem.yaml", b"name: x\n");
            add(zip, "sum/data/secret/1.in", &[b'7'; 300]);
            zip.add_symlink("sum/data/secret/2.in", "1.in", plain()).unwrap();
        });
        for (index, value) in at {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if does_cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        let scratch = tempfile::tempdir().unwrap();
        match unpack(&bytes, &scratch) {
            Ok(unpacked) => drop(unpacked.tree.manifest()),
            Err(error) => prop_assert!(error.to_string().len() > 10, "{}", error),
        }
        prop_assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
