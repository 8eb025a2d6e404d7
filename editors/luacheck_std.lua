-- Made by scripts/editor-files: not to be edited. A configuration of luacheck for policies and their tests:
-- luacheck --config luacheck_std.lua mine.lua, or under the name .luacheckrc beside them.
stds.lsched = {
    read_globals = {
        "assert", "error", "hash", "hour", "ipairs", "log", "pairs", "params", "select", "tonumber", "tostring", "type", "weekday",
        calendar = { fields = { day_of_month = {}, hour = {}, in_window = {}, is_weekday = {}, minute = {}, month = {}, next = {}, night = {}, time = {}, weekday = {}, working_hours = {}, year = {} } },
        decay = { fields = { half_life = {}, linear = {}, rise = {} } },
        math = { fields = { abs = {}, ceil = {}, exp = {}, floor = {}, fmod = {}, huge = {}, log = {}, max = {}, min = {}, pi = {}, pow = {}, sqrt = {} } },
        stats = { fields = { count = {}, deviation = {}, fairness = {}, max = {}, mean = {}, median = {}, min = {}, quantile = {}, sum = {} } },
        string = { fields = { byte = {}, contains = {}, ends_with = {}, format = {}, len = {}, lower = {}, starts_with = {}, sub = {}, upper = {} } },
        table = { fields = { append = {}, remove_last = {}, sort = {} } },
        units = { fields = { GiB = {}, MiB = {}, TiB = {}, day = {}, duration = {}, hour = {}, memory = {}, minute = {}, second = {}, week = {} } },
        usage = { fields = { over = {}, ratio = {}, under = {} } },
    },
}
stds.lsched_test = {
    read_globals = {
        "assert", "error", "getmetatable", "ipairs", "math", "next", "pairs", "pcall",
        "print", "select", "setmetatable", "show", "string", "table", "test", "tonumber",
        "tostring", "type", "unpack", "xpcall",
    },
}
std = "lsched"
unused_args = false
max_line_length = false
files["**/*_test.lua"] = { std = "lsched_test", globals = { "test" } }
