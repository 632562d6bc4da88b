board-empty = 榜上还没有人
board-empty-why = 队伍交出第一个程序后就会上榜。
board-rank = 名次
board-solved = 题数
board-time = 罚时
board-frozen = 已封榜：之后的结果在比赛结束后公布。
board-first = 首个通过
