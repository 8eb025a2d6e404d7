local n = 0
return { api = 1, weight = function(q) n = n + 1 return n end }
