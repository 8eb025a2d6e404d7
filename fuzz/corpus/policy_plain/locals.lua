local day = 24 * 3600
local list = { "allocate", "drain" }
local function old() return { half_life = (params.days + 1) * 86400, window = 0 } end
return ({ api = 0x1, name = 'locals', pipeline = list, params = { days = 2.5e0, on = true, word = "x" }, usage = old,
    eviction = { grace_seconds = -day + 2 * day, victims = "newest" } })
