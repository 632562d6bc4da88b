board-empty = Nobody is on the board yet
board-empty-why = A team appears here with its first submission.
board-rank = Rank
board-solved = Solved
board-time = Time
board-frozen = The scoreboard was frozen with { $minutes } minutes remaining - submissions in the last { $minutes } minutes of the contest are still shown as pending.
board-first = first to solve it
board-points = Points
board-group = Group
board-organization = Organization
board-all = All
board-known = Your team as you know it. Below, your row is as everybody sees it until the board is thawed.
board-left-out = { $count ->
    [one] Show one more team
   *[other] Show { $count } more teams
  }
board-show = Show
board-projector = Projector
board-resolver = Resolver
resolver-keys = Space or a click opens the next cell, arrow left takes it back.
resolver-next = Next
resolver-back = Back
resolver-closed = The resolver opens for judges when the contest is over, and for all when the board is thawed.
