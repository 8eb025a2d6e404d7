local e = { victims = "newest", protection = "path" }
e.per_hour = 0/0
return { api = 1, eviction = e, usage = { half_life = -1, window = 1e300, weight = "1", [1] = 2 } }
