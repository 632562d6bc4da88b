health-title = Judge health
health-throughput = Judged within a day
health-throughput-label = { $count } judgements ended within { $hours } hours, a bar for each quarter of an hour
health-judged = { $count ->
    [one] 1 judgement
   *[other] { $count } judgements
 }
health-most = at most { $count } in a quarter of an hour
health-queue = Queue
health-queue-empty = Nothing waits and nothing runs.
health-waits = Waiting
health-runs = Running
health-oldest = Waits longest since
health-workers = Workers
health-workers-none = This server has no workers, so nothing is judged.
health-now = Now
health-idle = idle
health-attempt = attempt { $count }
health-failures = Given up by our own fault
health-failures-none = Nothing was given up.
health-cause = Cause
health-disk = Disk
health-database = Database
health-cache = Cache
health-free = Free
health-toolchains = Toolchains
health-language = Language
health-version = Version
health-doctor = What doctor found at the start
health-doctor-none = This host was not examined.
health-layer = Layer
health-found = Found
health-ok = ok
health-weaker = weaker
health-unsafe = unsafe
job-judge = Judging
job-prepare = Preparing a package
job-propose = Answering a new test
job-trial = Trying a program
job-verify = Verifying a package
job-counterexample = Making a counterexample
col-kind = Kind
col-worker = Worker
desk-title = What wants a look
desk-waiting = { $count ->
    [0] Nothing waits
    [one] { $count } job waits
   *[other] { $count } jobs wait
  }
desk-running = { $count ->
    [one] One is worked on
   *[other] { $count } are worked on
  }
desk-workers = { $busy } of { $all } at work
desk-failures = { $count ->
    [0] None in a day
    [one] { $count } in a day
   *[other] { $count } in a day
  }
desk-rejudge-je = Judge them again
desk-questions = { $count ->
    [0] All answered
    [one] { $count } without an answer
   *[other] { $count } without an answer
  }
desk-free = { $size } free
desk-decide = judged: apply or drop it
desk-paused = Paused
desk-open = Always open
desk-contest = Settings and steps
machines-title = Other machines
col-machine = Machine
machine-heard = Last heard
machine-change = Change
machine-works = works
machine-draining = runs empty
machine-forbidden = forbidden
machine-left-out = left out
machine-silent = silent
machine-allow = Let it work
machine-drain = Let it run empty
machine-forbid = Forbid
machine-gone = There is no such machine. It is known once its worker has reached the server.
machine-slots = { $count ->
    [one] one job at a time
   *[other] { $count } jobs at a time
}
machine-work = { $ms } ms for the fixed set of work
machine-clock-ahead = Its clock is { $count ->
    [one] a minute
   *[other] { $count } minutes
} ahead. No verdict depends on it.
machine-clock-behind = Its clock is { $count ->
    [one] a minute
   *[other] { $count } minutes
} behind. No verdict depends on it.
farm-title = NATS
farm-trouble = Other machines can't be reached, so they judge nothing. The server tries again every few seconds.
machine-trouble = Last trouble,
misfit-measuring = { $problem }: its programs are being run here first, to see whether its limit fits.
misfit-too-slow = { $problem } is judged elsewhere: its accepted programs ask for a limit of at least { $least } here, and it is { $limit }.
misfit-too-fast = { $problem } is judged elsewhere: its programs that must be too slow allow a limit of at most { $most } here, and it is { $limit }.
misfit-not-accepted = { $problem } is judged elsewhere: a reference solution is not accepted here.
misfit-not-measured = { $problem } is judged elsewhere: none of its reference solutions could be run here to measure its limit.
health-workers-elsewhere = This server judges nothing itself; the machines below do.
