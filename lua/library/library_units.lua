-- library_units.lua -- the table `units`: what an hour is in seconds and a TiB in GiB, so that
-- nobody writes 3600 where hours were meant. The language counts in seconds, GiB, cores and GPUs.
-- The two functions read texts as scenarios write them (base/units.c), for parameters.
local tools = ...

return {
    second = 1, minute = 60, hour = 3600, day = 86400, week = 604800,
    MiB = 1 / 1024, GiB = 1, TiB = 1024,
    duration = tools.duration, -- "1h30m": 5400
    memory = tools.memory,     -- "80Gi": 80
}
