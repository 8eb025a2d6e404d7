a = { function
(x) end, f
(x) }