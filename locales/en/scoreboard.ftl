board-empty = Nobody is on the board yet
board-empty-why = A team appears here with its first submission.
board-rank = Rank
board-solved = Solved
board-time = Time
board-frozen = The board is frozen: newer results are shown after the contest.
board-first = first to solve it
