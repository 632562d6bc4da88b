frame-skip = Skip to the content
frame-menu = Menu
frame-nav = Main pages
frame-time = Server time (UTC)
nav-problems = Problems
nav-submissions = Submissions
nav-scoreboard = Scoreboard
nav-admin = Admin
log-in = Log in
log-out = Log out
register = Register
back = Back
theme-label = Theme
theme-auto = System
theme-light = Light
theme-dark = Dark
theme-to-dark = Use the dark theme
theme-to-light = Use the light theme
contest-practice = Practice
contest-open = always open
contest-before = starts in { $span }
contest-left = { $span } left
contest-ended = over
ago-now = just now
ago-minutes = { $count ->
    [one] { $count } minute ago
   *[other] { $count } minutes ago
 }
ago-hours = { $count ->
    [one] { $count } hour ago
   *[other] { $count } hours ago
 }
ago-days = { $count ->
    [one] { $count } day ago
   *[other] { $count } days ago
 }
live-on = Live
live-lost = Connection lost, trying again
next-problems = See the problems
next-submissions = See the submissions
next-admin = Back to admin
live-notify = Notify me of the verdict
contest-paused = paused
