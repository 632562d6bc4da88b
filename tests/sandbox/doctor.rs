//! The doctor, on this host.

use touchstone::sandbox::CgroupChoice;
use touchstone::sandbox::doctor::{State, examine, worst};

use crate::harness::*;

#[test]
fn a_host_that_holds_is_found_healthy() {
    for kind in kinds() {
        let findings = examine(&config(kind, 1));
        let expected = if kind == CgroupChoice::Off { State::Weaker } else { State::Ok };
        assert_eq!(worst(&findings), expected, "{kind:?}: {findings:#?}");
        assert!(findings.iter().all(|finding| finding.state == State::Ok || finding.fix.is_some()), "{findings:#?}");
        assert_eq!(findings.len(), 15);
    }
}

#[test]
fn a_sandbox_that_does_not_start_is_unsafe() {
    let mut config = config(CgroupChoice::Off, 1);
    config.helper = "/bin/false".into();
    let findings = examine(&config);
    assert_eq!(worst(&findings), State::Unsafe, "{findings:#?}");
    assert_eq!(worst(&findings).exit_code(), 2);
    assert!(findings[0].fix.as_ref().is_some_and(|fix| fix.contains("chmod 755")), "{findings:#?}");
}
