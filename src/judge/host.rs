//! What a receipt says of the machine: it explains times, it never decides a verdict.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The kernel, the processor's model and its architecture.
pub fn facts() -> &'static BTreeMap<String, String> {
    static FACTS: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    FACTS.get_or_init(|| {
        let system = rustix::system::uname();
        let text = |words: &std::ffi::CStr| words.to_string_lossy().into_owned();
        let mut facts = BTreeMap::from([
            ("kernel".to_owned(), text(system.release())),
            ("architecture".to_owned(), text(system.machine())),
        ]);
        let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        if let Some((_, model)) =
            processors.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'))
        {
            facts.insert("processor".to_owned(), model.trim().to_owned());
        }
        facts
    })
}
