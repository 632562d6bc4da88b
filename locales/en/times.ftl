tries-count = { $count ->
    [one] { $count } try
   *[other] { $count } tries
 }
ago-minutes = { $count ->
    [one] { $count } minute ago
   *[other] { $count } minutes ago
 }
