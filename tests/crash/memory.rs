//! Files that people upload go through the server piece by piece: its memory doesn't grow with them.

use reqwest::{Client, RequestBuilder, StatusCode};
use touchstone::clock;
use touchstone::domain::account::Role;
use touchstone::service::Service;
use touchstone::store::Store;
use touchstone::store::api_token::Scopes;

use crate::folder::Folder;
use crate::server::Server;

const MIB: usize = 1 << 20;
/// As large as an input may nearly be.
const LARGE: usize = 60 * MIB;
/// What a server may take more for them, MiB: pieces, parts, what the compressor and the database hold. Half of a file.
const GROWS_BY: u64 = 30;

/// Bytes that don't pack: so they are as many in the database.
fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.flatten().take(bytes).collect()
}

/// A zip of inputs that are kept as they are.
fn zipped(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, contents) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The most memory that a process has had, MiB.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() / 1024
}

async fn sent(request: RequestBuilder, wanted: StatusCode) -> String {
    let answer = request.send().await.unwrap();
    let (status, location) = (answer.status(), answer.headers().get("location").cloned());
    let body = answer.text().await.unwrap();
    assert_eq!(status, wanted, "{body}");
    location.map_or(body, |location| location.to_str().unwrap().to_owned())
}

/// The token of the form on this page.
async fn csrf(browser: &Client, page: &str) -> String {
    let page = browser.get(page).send().await.unwrap().text().await.unwrap();
    let start = page.find("name=\"csrf\" value=\"").expect("a form") + "name=\"csrf\" value=\"".len();
    page[start..start + 64].to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn large_files_stream() {
    let folder = Folder::new(0).await;
    let mut server = Server::spawn_giving_back(folder.path());
    let site = server.address().await.expect("the server ended");
    folder.ready().await;
    let browser = Client::builder().cookie_store(true).redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let register = [("name", "sue"), ("password", "correct horse"), ("again", "correct horse")];
    let token = csrf(&browser, &format!("{site}/register")).await;
    let form = register.iter().copied().chain([("csrf", token.as_str())]);
    let form = form.map(|(name, value)| format!("{name}={}", value.replace(' ', "+"))).collect::<Vec<_>>().join("&");
    let kind = "application/x-www-form-urlencoded";
    sent(browser.post(format!("{site}/register")).header("content-type", kind).body(form), StatusCode::SEE_OTHER).await;
    // As somebody does beside a server that runs.
    let store = Store::open(&folder.database()).await.unwrap();
    let service = Service::new(store.clone());
    service.set_role(None, "sue", Role::Setter, clock::now()).await.unwrap();
    let sue = service.stand_in(Some("sue")).await.unwrap();
    let scopes = Scopes { read: true, submit: false, manage: true };
    let token = service.create_token(&sue, "test", scopes, clock::now()).await.unwrap();
    store.close().await;

    // A worker takes each and says that it is no input, before the next one comes.
    let looked_at = async |count| {
        let refused = "select count(*) from test_proposal where state = 'refused'";
        folder.until("what became of them", refused, count).await;
        println!("{count} looked at: {} MiB", peak(server.id()));
    };
    let before = peak(server.id());
    let tests = format!("{site}/api/v4/touchstone/problems/sum/tests");
    let api = |at: String, body: Vec<u8>| Client::new().post(at).bearer_auth(&token).body(body);
    sent(api(format!("{tests}?name=raw"), noise(LARGE, 1)), StatusCode::ACCEPTED).await;
    looked_at(1).await;
    let zip = zipped(&[("a.in", noise(LARGE / 2, 2)), ("b.in", noise(LARGE / 2, 3))]);
    sent(api(format!("{tests}/zip"), zip), StatusCode::ACCEPTED).await;
    looked_at(3).await;
    let page = |at: &str, token: String, fields: &[(&'static str, &'static str)], name: &str, contents: Vec<u8>| {
        let form = fields
            .iter()
            .fold(reqwest::multipart::Form::new().text("csrf", token), |form, (key, value)| form.text(*key, *value));
        let part = reqwest::multipart::Part::bytes(contents).file_name(name.to_owned());
        browser.post(format!("{site}{at}")).multipart(form.part("file", part))
    };
    let new = "/admin/problems/sum/tests/new";
    let token = csrf(&browser, &format!("{site}{new}")).await;
    let form = page(new, token.clone(), &[("name", "page"), ("input", "")], "page.in", noise(LARGE, 4));
    assert!(sent(form, StatusCode::SEE_OTHER).await.starts_with("/admin/proposals/"));
    looked_at(4).await;
    let many =
        page("/admin/problems/sum/tests/many", token.clone(), &[], "c.zip", zipped(&[("c.in", noise(LARGE, 5))]));
    sent(many, StatusCode::SEE_OTHER).await;
    looked_at(5).await;
    let edit = page("/admin/problems/sum/tests/2/edit", token.clone(), &[("version", "1")], "e.in", noise(LARGE, 6));
    sent(edit, StatusCode::SEE_OTHER).await;
    looked_at(6).await;
    let bad = zipped(&[("sum/problem.yaml", b"name: [".to_vec()), ("sum/data/secret/1.in", noise(LARGE, 7))]);
    let import = page("/admin/import", token, &[("slug", "")], "sum.zip", bad);
    sent(import, StatusCode::UNPROCESSABLE_ENTITY).await;

    let after = peak(server.id());
    println!("peak memory: {before} MiB before, {after} MiB after 6 files of {} MiB", LARGE / MIB);
    assert!(after - before < GROWS_BY, "{before} MiB before, {after} MiB after");
    let kept = "select coalesce(max(bytes), 0) from blob_part";
    assert_eq!(folder.count(kept).await, 4 << 20, "in parts");
    assert!(server.terminate().success());
}
