tries-count = 提交 { $count } 次
ago-minutes = { $count } 分钟前
