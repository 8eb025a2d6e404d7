-- library_units.lua -- the table `units`: an hour in seconds, a TiB in GiB and so on, so that
-- policies need no bare numbers such as 3600. Policies count in seconds, GiB, cores and GPUs. The
-- two functions convert texts in the form that scenarios use (base/units.c), for parameters.
local tools = ...

return {
    second = 1, minute = 60, hour = 3600, day = 86400, week = 604800,
    MiB = 1 / 1024, GiB = 1, TiB = 1024,
    duration = tools.duration, -- "1h30m": 5400
    memory = tools.memory,     -- "80Gi": 80
}
