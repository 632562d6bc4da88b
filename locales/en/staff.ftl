rejudgings-title = Rejudgings
rejudgings-lead = Judged beside the verdicts that count; nothing changes until you apply one.
rejudgings-none = Nothing was judged again yet
rejudgings-none-why = After a test was added or a fault was mended, submissions can be judged again.
rejudge-new = Judge again
rejudge-one = Judge again
rejudge-lead = Choose by one thing or by several: submissions must fit all of them. They are judged in the background, behind everything that somebody waits for. You then see what would change, and decide.
rejudge-from = Handed in from
rejudge-until = Handed in before
rejudge-submission = Submission number
rejudge-reason = Reason
rejudge-reason-hint = For the list and the log; contestants don’t see it.
rejudge-outdated = Only those that were judged with other tests than the ones in force
rejudge-begin = Judge again, change nothing yet
rejudge-choose = Choose at least one thing. Without any, every submission of this judge would be judged again.
rejudge-long-reason = A reason has at most { $limit } characters.
rejudge-nothing = There is nothing to judge again: no submission fits, or all that fit are being judged already ({ $count }).
time-utc = In UTC, as the server’s clock at the foot of the page.
rejudging-title = Rejudging { $id }
rejudging-judging = Being judged
rejudging-ready = Waits for a decision
rejudging-applied = Applied
rejudging-undone = Undone
rejudging-dropped = Dropped
rejudging-progress = { $done } of { $total } judged
rejudging-so-far = What follows is what was found so far. The page keeps itself up to date.
rejudging-changes = Verdicts that change
rejudging-same = Came out as before
rejudging-moved = Teams that move
rejudging-failed = Judge failed: old verdict stays
rejudging-overtaken = Newer verdict stays
rejudging-left-out = Left out: being judged already
rejudging-kinds = From which verdict to which
rejudging-board = Scoreboard: { $contest }
rejudging-apply = { $count ->
    [one] Apply: change 1 verdict, move { $moved ->
        [one] 1 team
       *[other] { $moved } teams
     }
   *[other] Apply: change { $count } verdicts, move { $moved ->
        [one] 1 team
       *[other] { $moved } teams
     }
 }
rejudging-apply-none = Apply: no verdict changes
rejudging-drop = Drop it
rejudging-undo = { $count ->
    [one] Undo: put 1 verdict back
   *[other] Undo: put { $count } verdicts back
 }
rejudging-redo = { $count ->
    [one] Apply again: change 1 verdict
   *[other] Apply again: change { $count } verdicts
 }
rejudging-decide-hint = Applying can be undone. Dropping keeps every verdict as it is, for good.
rejudging-undo-hint = What counted before counts again. This can be undone too.
rejudging-nothing = No verdict changes
rejudging-nothing-why = Every submission came out as it counts already.
rejudging-not-done = { $count ->
    [one] 1 submission is not judged yet. Wait until all are, then decide.
   *[other] { $count } submissions are not judged yet. Wait until all are, then decide.
 }
rejudging-not-now = Somebody else decided about this rejudging meanwhile. Nothing was done; below is how it stands.
rejudging-changed = Other verdicts came in meanwhile, so this would no longer change what you saw. Nothing was done; look at it again below.
rejudging-below = Rejudging { $id } was applied later and builds on this one. Undo that one first.
error-no-rejudging = There is no such rejudging.
next-rejudgings = See the rejudgings
chosen-submission = submission { $what }
chosen-contest = contest { $what }
chosen-problem = problem { $what }
chosen-language = in { $what }
chosen-verdict = verdict { $what }
chosen-from = from { $what }
chosen-until = before { $what }
chosen-outdated = judged with older tests
col-chosen = Chosen
col-who = Who
col-contest = Contest
col-before = Before
col-after = After
col-first = First to solve
by-terminal = command line
first-won = now first: { $problems }
first-lost = no longer first: { $problems }
slopes-label = Ranks in { $contest } before and after
and-more = And { $count } more.
and-more-teams = { $count ->
    [one] And 1 more team.
   *[other] And { $count } more teams.
 }
pages-further = Further
people-title = People
people-begins = Name begins with
people-disabled-only = Only disabled
people-none = Nobody fits
people-none-why = Names are found by how they begin.
col-role = Role
col-organization = Organization
col-since = Since
person-disabled = disabled
person-no-password = no password yet
person-role-hint = Each role may do what the ones before it may.
person-set-role = Change the role
person-link = Make a link for a new password
person-link-hint = The link works once, for { $days } days. The old password works until it is used.
person-link-made = Hand this link over: it is shown only now. It works once, for { $days } days.
person-sessions = { $count ->
    [one] Signed in once
   *[other] Signed in { $count } times
 }
person-sign-out = Sign out everywhere
person-sign-out-hint = Ends every session in every browser. API tokens stay.
person-access = Access
person-disable = Disable
person-enable = Enable
person-disable-hint = Nobody can log in with it, and its sessions end. Submissions and rows on boards stay.
person-enable-hint = It can log in again with its password.
person-acts = What was done to this account
person-all-acts = All of it in the log
person-own-acts = What this account did
account-last-admin = This is the last admin that can log in. Make somebody else an admin first.
account-changed = Somebody else changed this account meanwhile. Nothing was done; below is how it stands.
error-no-account = There is no such account.
next-people = See the people
roster-import-title = Add people
roster-import-lead = Accounts, teams, groups and organizations, from one file or several. First you see what would be made; with any fault nothing is. Teams, groups and organizations that are here already are changed to what the files say; accounts that are here stay as they are.
roster-import-files = Files
roster-import-files-hint = A CSV with a header line; accounts.tsv, teams.tsv, groups.tsv, institutions.tsv; accounts.json, teams.json, groups.json, organizations.json as the ICPC and DOMjudge use them. Together up to 8 MB and 10,000 rows.
roster-import-text = Or paste rows
roster-import-text-hint = Columns of a CSV: username, name, role, password, team, organization, group. Only username must be there; a password that is left empty is made.
roster-import-look = Show what would be made
roster-import-pasted = pasted rows
roster-import-nothing = Choose a file or paste rows.
roster-import-faults = { $count ->
    [one] 1 thing is wrong. Nothing was taken.
   *[other] { $count } things are wrong. Nothing was taken.
 }
roster-import-gone = These rows were taken or dropped already, or an hour has passed. Choose the files again.
roster-import-changed = Accounts or teams were changed meanwhile. Nothing was taken; choose the files again to see what they would make now.
next-import = Add people
col-file = File
col-line = Line
col-fault = What is wrong
col-shown-as = Shown as
plan-title = What would be made
plan-lead = Nothing is made yet.
plan-what = What
plan-new = New
plan-changed = Changed
plan-same = As they are
plan-accounts = Accounts
plan-teams = Teams
plan-organizations = Organizations
plan-groups = Groups
plan-generated = { $count ->
    [one] 1 password is made. It is shown once, on the next page, for printing.
   *[other] { $count } passwords are made. They are shown once, on the next page, for printing.
 }
plan-odd = { $count ->
    [one] 1 account has a type without a role of its own here (such as analyst). It can look, without a team.
   *[other] { $count } accounts have a type without a role of its own here (such as analyst). They can look, without a team.
 }
plan-take = { $count ->
    [0] Take it: no new account
    [one] Make 1 account
   *[other] Make { $count } accounts
 }
plan-drop = Drop it
plan-to-be-made = to be made
plan-from-file = from the file
credentials-title = Logins
credentials-lead = { $count ->
    [one] 1 account was made. Its password is shown only now: print this page before you leave it.
   *[other] { $count } accounts were made. Their passwords are shown only now: print this page before you leave it.
 }
credentials-site = Address
registration-title = Registration
registration-who = Who may register
registration-open = Everybody
registration-open-hint = Whoever finds this judge can make an account.
registration-invitation = By invitation
registration-invitation-hint = Whoever has the link of an invitation below that works.
registration-closed = Nobody
registration-closed-hint = Admins make the accounts.
registration-set = Set it
registration-changed = Somebody else changed this setting meanwhile. Nothing was done; below is how it stands.
invitations-title = Invitations
invitations-none = No invitation was made yet. Their links count while registration is by invitation.
invitation-new = New invitation
invitation-places = For how many people
invitation-days = For how many days
invitation-note = For whom
invitation-note-hint = A note for this list, e.g. the class.
invitation-make = Make an invitation
invitation-made = Hand this link over: it is shown only now.
invitation-used = Registered
invitation-until = Until (UTC)
invitation-revoke = Take back
invitation-open = works
invitation-full = full
invitation-expired = over
invitation-revoked = taken back
invitation-bad = An invitation is for 1 to { $places } people, 1 to { $days } days, with a note of at most { $note } characters.
invitation-gone = There is no such invitation that works.
register-invited = You were invited. Choose a name and a password.
register-closed = This judge takes no registrations. Ask whoever runs it for an account or an invitation.
register-invitation-gone = This invitation is used up, over or was taken back. Ask whoever gave it to you for a new one.
password-title = Set a new password
password-set = Set the password
password-gone = This link was used before, is too old, or a newer one replaced it. Ask an admin for a new one.
password-set-disabled = The password is set, but this account is disabled. Ask an admin.
log-title = Log
log-lead = Every act of admins, setters and judges. Nobody can change it. Times are in UTC.
log-none = Nothing fits
log-none-why = Widen the filter.
log-from = From (UTC)
log-until = Before (UTC)
next-log = See the log
col-act = Act
col-subject = What
col-address = Address
roster-empty = The file is empty.
roster-unknown-kind = This file doesn’t say what it holds. Name it accounts, teams, groups or organizations, or give it a header line with “username”.
roster-not-text = The file is not UTF-8 text. Save it as UTF-8.
roster-version = “{ $text }” is no known first line.
roster-column = The column “{ $text }” is not known. Known are username, name, role, password, team, organization, group.
roster-column-twice = The column “{ $text }” is there twice.
roster-no-username = The header has no column “username”.
roster-fields = { $found } fields where { $wanted } are wanted.
roster-quotes = A quotation mark is open, or stands inside a field that is not quoted.
roster-json = The JSON can’t be read: { $text }
roster-missing = “{ $text }” is missing.
roster-id = “{ $text }” can’t be the { $column }: 1 to 64 bytes without spaces.
roster-name = “{ $text }” can’t be the { $column }: 1 to 120 characters on one line.
roster-username = “{ $text }” can’t be a login name: 1 to 40 letters, digits, “_”, “-” or “.”, beginning with a letter or digit.
roster-role = “{ $text }” is no role. Known are contestant (or team), setter, judge, admin, and analyst or staff for those who only look.
roster-twice = The same stands in { $file }, line { $line }, already.
roster-too-many = { $count } rows; at most 10,000 are taken at once.
roster-taken = The login name “{ $text }” is taken, by an account with the role { $role }.
roster-team-taken = Another team is named “{ $text }”.
roster-no-team = There is no team with the id “{ $text }”, in these files or here.
roster-no-group = There is no group with the id “{ $text }”, in these files or here.
roster-no-organization = There is no organization with the id “{ $text }”, in these files or here.
col-rank = Rank
col-solved = Solved
col-time = Time
rejudging-awards = Awards
rejudging-awards-lead = What would be won if the contest ended as the board is now.
col-award = Award
award-won = now: { $teams }
award-lost = no longer: { $teams }
award-winner = Winner
award-gold = Gold medal
award-silver = Silver medal
award-bronze = Bronze medal
award-mention = Honorable mention
award-rank = Rank { $rank }
award-first = First to solve problem { $label }
award-group = Winner of { $group }
col-points = Points
