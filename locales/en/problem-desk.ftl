problem-desk = This problem
statement-edit = Edit the statement
statement-lead = Markdown with formulas between $ signs. A new text makes the next version of the package, which is published when every promise is kept.
statement-text = Text
statement-preview = Preview
statement-send = Verify and publish
statement-bad = A statement has 1 byte to { $limit }.
statement-no-markdown = This statement isn’t written in Markdown. Change the package and import it.
versions-title = Versions
versions-lead = Who changed what, and when. An older version is verified again before it is in force.
versions-packages = Of the package
versions-tests = Of the tests
versions-files = { $count ->
    [one] 1 file
   *[other] { $count } files
 }
version-in-force = in force
version-by-judge = the judge
version-restore = Put in force again
version-none = There is no version { $version }.
version-under-way = A version is in force or being verified already. Wait until that is over.
version-known = A version with this very content is there already. Put it in force again under Versions.
tests-taken-back = taken back
export-zip = Export as zip
problem-withdraw = Withdraw
problem-put-back = Put back
limits-edit = Limits
limits-edit-lead = Other limits make the next version of the package, which is published when every promise is kept.
limits-edit-time = Time limit, milliseconds of cpu
limits-edit-proposed = Measured here, it would be { $ms } ms.
limits-edit-memory = Memory limit, MiB
limits-edit-send = Verify and publish
limits-bad = A time limit is 1 to 600000 ms, a memory limit 1 to 65536 MiB.
limits-by-hand = The limits in problem.yaml can’t be changed line by line. Change the package and import it.
col-changed = Changed
col-do = Act
