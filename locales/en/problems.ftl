home-title = Problems
home-lead = Read a problem, write a program, upload it. The verdict comes test by test.
home-empty = There are no problems yet
home-empty-why = They appear here once their tests are made and their reference solutions agree.
home-empty-next = See what is being prepared
col-letter = Letter
col-problem = Problem
col-mine = Mine
col-solved-tried = Solved / tried
col-time-limit = Time limit
col-memory-limit = Memory limit
progress-solved = Solved
progress-tried = Tried
progress-untried = Not tried
start-title = How to start
start-register = Register: a name and a password are enough.
start-logged-in = You are logged in.
start-read = Open a problem and read what comes in and what must come out.
start-send = Write a program that reads standard input and prints to standard output, then paste or upload it.
start-follow = Watch it being judged, test by test. Try as often as you like.
start-languages = Languages here: { $languages }.
start-no-languages = No language can be judged on this machine yet.
problem-closed = This problem takes no submissions now.
problem-other-language = This statement is not written in your language yet; here is the one there is.
problem-no-statement = There is no statement to show
problem-no-statement-why = The package has none in Markdown. Ask whoever runs the contest.
problem-facts = Limits and my tries
problem-samples = { $count ->
    [one] Sample
   *[other] Samples
 }
sample-input = Input { $number }
sample-output = Output { $number }
copy = Copy
copied = Copied
limits-title = Limits
limits-time = Time
limits-memory = Memory
limits-output = Output
limits-tests = Tests
tries-title = My tries
tries-log-in = to see your tries here.
tries-none = None yet.
tries-all = All my tries for this problem
tries-count = { $count ->
    [one] { $count } try
   *[other] { $count } tries
 }
languages-title = Languages
languages-none = No language can be judged for this problem
languages-none-next = The operator can run “touchstone doctor” to see which compilers are missing.
sample-picture = Picture of input { $number }
sample-picture-alt = Input { $number } drawn by the problem’s author
sample-picture-open = Open the picture
samples-zip = Download samples and statement
