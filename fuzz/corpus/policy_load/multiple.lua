return { api = 1, weight = function(q, ...)
 local a, b = 1, 2 a, b = b, a
 repeat local c = a until c
 while false do end
 return select("#", ...) + a end }
