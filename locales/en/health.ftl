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
