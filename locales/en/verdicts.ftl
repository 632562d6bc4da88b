verdict-ac = Accepted
verdict-wa = Wrong answer
verdict-tle = Time limit exceeded
verdict-mle = Memory limit exceeded
verdict-ole = Output limit exceeded
verdict-rte = Run-time error
verdict-ce = Compile error
verdict-je = Judging error
mark-pending = Waiting
mark-running = Judging
mark-frozen = Hidden by the freeze
outcome-on-test = { $verdict } on test { $test }
what-pending = It waits for its turn. This page follows it.
what-compiling = It is being compiled.
what-running = { $done } of { $total } tests are done.
what-ac = { $total ->
    [one] The one test passed.
   *[other] All { $total } tests passed.
 }
what-wa = The program ended well, but it printed something else than the answer.
what-tle = The program took longer than the time limit. Look for a faster way, or for a loop that never ends.
what-mle = The program needed more memory than the limit.
what-ole = The program printed far more than any answer needs, and was stopped.
what-rte = The program crashed, or its exit code was not 0.
what-ce = The program could not be compiled, so no test was run. The compiler says why, below.
what-ce-of-others = The program could not be compiled, so no test was run. Only its author and the judges see what the compiler said.
what-ce-mistaken = It looks like { $family } and was handed in for { $language }. Choose its language and hand it in again.
what-je = The judge failed, not your program. It costs nothing, and somebody will look at it.
what-frozen = The board is frozen: how it went is shown after the contest.
