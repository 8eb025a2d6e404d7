return { api = 1, weight = function(q)
 local q = q for _, q in ipairs({}) do end
 return q.depth end }
