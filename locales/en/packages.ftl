import-title = Import a package
import-lead = A zip of a problem in the ICPC or Kattis format. All of it is looked at before anything is kept: then its tests are made, its reference solutions compared, and each of its programs judged. It is published when every promise is kept; until then the version before it stays in force.
import-file = Zip of the package
import-file-hint = Up to { $size }.
import-slug = Short name
import-slug-hint = Stands in addresses. Left empty, the folder in the zip names it, else the zip.
import-send = Import and verify
import-no-file = Choose the zip of a package.
import-empty = The zip has no files.
import-too-large = The package unpacks to { $size }; at most { $limit } are taken.
import-bad-slug = “{ $slug }” can’t be a short name. Use a-z, 0-9, “-” and “_”, beginning with a letter or digit.
import-refused = The package can’t be used. Nothing of it was kept.
import-faults = What is wrong with it
verification-open = Verification
verification-title = Verification: { $problem }
verification-lead = Whether the package keeps what it promises: every test is valid, the reference solutions agree, each program gets its verdict.
verification-queued = Waiting
verification-running = Being verified
verification-holds = Every promise is kept
verification-broken = A promise is broken
verification-dropped = Not needed any more
verification-decides = The package is published when this is over and every promise is kept. Until then the version before it stays in force.
verification-decides-tests = These tests count when this is over and every promise is kept. Until then the version before them does. Programs run only on what is new: the rest is known.
verification-background = This looks at what is in force already. It makes way for everything else.
verification-holds-what = The tests accept every right program and reject every wrong one.
verification-broken-what = This version was not published; the one before it stays in force. Mend the package and import it again.
verification-broken-in-force = What is in force does not keep its promises, and stays in force. Mend the package or its tests.
verification-broken-tests = These tests were refused, and those in force stay. Change them again without what breaks the promise.
verification-dropped-what = The tests were changed again before this was over; the newest ones are verified instead.
verification-none = This problem was never verified
verification-none-why = Import its package again, or verify what is in force.
verification-nothing-in-force = Nothing of this problem is in force, so there is nothing to verify.
verification-faults = What stands against it
verification-programs = Programs
verification-not-run = Programs that can’t run on this host:
verification-hints = Remarks
verification-history = Verifications
verification-again = Verify again
col-program = Program
col-promise = Promises
col-slowest = Slowest test
promise-kept = kept
promise-broken = broken
part-building-validators = The validators are built
part-making-inputs = Inputs are made
part-validating-inputs = Inputs are validated
part-trying-invalid-inputs = Invalid inputs are tried
part-making-answers = The first reference solution answers
part-trying-planted-outputs = Planted outputs are tried
part-comparing-references = Reference solutions are compared
part-keeping-tests = Tests are kept
part-judging-programs = Programs are judged
part-other = Work goes on
limit-title = Time limit
limit-fits = fits
limit-does-not-fit = does not fit
limit-in-force = In force
limit-least = Accepted programs need at least
limit-most = Too slow programs allow at most
limit-proposed = Measured here, it would be
limit-none-fits = no limit fits
limit-scale = The limit is { $limit }. Accepted programs need at least { $least }; programs that must be too slow allow at most { $most }.
limit-scale-open = The limit is { $limit }. Accepted programs need at least { $least }; no program must be too slow.
matrix-title = Which test rejects which wrong program
matrix-lead = One row for each wrong program, one place for each test in order. A line is a test that it passes, a gap one that was not run.
matrix-kills = Rejected by
matrix-tests = { $count ->
    [one] 1 test
   *[other] { $count } tests
 }
matrix-killed = { $program } is rejected by { $count ->
    [one] test { $tests }
   *[other] { $count } tests: { $tests }
 }
matrix-survives = { $program } is rejected by no test
matrix-survivor = survives
matrix-survivors = No test rejects these wrong programs. Add tests that do:
matrix-single = { $count ->
    [one] 1 program is rejected by one test only
   *[other] { $count } programs are rejected by one test only
 }
matrix-idle = { $count ->
    [one] 1 test that no wrong program needs
   *[other] { $count } tests that no wrong program needs
 }
matrix-names = The tests by number
matrix-test-kills = { $count ->
    [0] rejects none
   *[other] rejects { $count }
 }
outcome-score = Score
groups-title = Test groups
run-points = { $points } points
