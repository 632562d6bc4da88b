submit-open = Submit a program
submit-again = Submit another
submit-title = Submit: { $problem }
submit-language = Language
submit-choose = Choose a language
submit-file = File
submit-file-hint = Up to { $text }; a ready ELF program up to { $binary }. A chosen file is taken instead of the text below.
submit-source = Program text
submit-source-hint = It reads standard input and prints to standard output. Your draft stays in this browser until it is sent.
submit-restored = Your draft from last time is back. It stays in this browser until it is sent.
submit-send = Submit
submit-back = Back to the statement
submission-title = Submission { $id }
submissions-title = Submissions
submissions-mine = My submissions
submissions-none = Nobody has submitted anything yet
submissions-none-why = Submissions appear here as soon as somebody sends a program.
submissions-no-match = No submission fits the filter
submissions-no-match-why = Take a wider filter to see more.
filter-label = Filter the submissions
filter-any = Any
filter-mine = Only mine
filter-apply = Filter
filter-clear = Show all
pages-label = Pages of the list
pages-newest = Newest
pages-older = Older
col-id = No.
col-verdict = Verdict
col-team = Team
col-language = Language
col-cpu = Time
col-memory = Memory
col-when = When
col-why = Why
col-tests = Tests
col-test = Test
col-of-limit = Of the limit
col-words = Details
col-judgement = Judgement
outcome-cpu = Slowest test
outcome-memory = Most memory
outcome-size = Program size
tests-done = { $done } of { $total } tests done
tests-title = Tests
tests-version = Tests, version { $version }
test-sample = Sample
compiler-title = The compiler says
compiler-whole = Read all of it
judge-words-title = For judges only
source-whole = Open the whole file
source-binary = A ready program; there is no text to show.
text-cut = Only the first part is shown.
judgements-title = Judgements
judgement-counts = Counts
judgement-first = First judging
judgement-again = Rejudged
rejudge-count = { $count ->
    [one] Rejudge 1 submission
   *[other] Rejudge { $count } submissions
 }
rejudge-why = { $count ->
    [one] 1 submission was judged with an older version of the tests.
   *[other] { $count } submissions were judged with an older version of the tests.
 }
