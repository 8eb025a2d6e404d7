-- prelude.lua -- trusted Lua code of the library: the environment that policy text sees, and the
-- loop that calls a hook for each element of a batch.
--
-- The prelude runs once per Lua state. Its arguments are LuaJIT's libraries and C functions
-- (lua_env.c), and it keeps only those that it names here. Rules: no function that policy text can
-- reach may load code, catch errors, reach a metatable, call back from C into Lua, or depend on the
-- order of a hash. A read-only view is an empty table whose metatable forwards reads; a library is
-- such a view. The prelude joins no string longer than 1 KB itself (see lua_state.c): c.join joins
-- long ones.
local c, base, str, math = ...
local error, ipairs, type, unpack = base.error, base.ipairs, base.type, base.unpack
local getmetatable, setmetatable, loadstring = base.getmetatable, base.setmetatable, base.loadstring
local rawset = base.rawset
local floor = math.floor

local views = {} -- view -> its name in messages
local open = {}  -- view -> the table behind it, for views whose keys can be listed

local function guard(what)
    return { __index = c.missing(what), __newindex = c.frozen(what), __metatable = false }
end

local function view_of(what, real)
    local how = { __index = real, __newindex = c.frozen(what), __metatable = false }
    local view = setmetatable({}, how)
    views[view] = what
    return view
end

local function library(what, functions)
    return view_of(what, setmetatable(functions, guard(what)))
end

local function check(ok, what, expected, got)
    if not ok then error(what .. ": expected " .. expected .. ", got " .. c.show(got), 3) end
end

--------------------------------------------------------------------------------------------- tables

-- Visits number keys in order, then string keys by their bytes: the order in which a hash keeps its
-- keys differs between processes.
local function pairs(t)
    check(type(t) == "table", "pairs", "a table", t)
    if views[t] then
        t = open[t] or error("pairs: the fields of " .. views[t] .. " cannot be listed", 2)
    end
    local keys, i = c.sorted_keys(t), 0
    return function()
        while true do
            i = i + 1
            local key = keys[i]
            if key == nil then return nil end
            local value = t[key]
            if value ~= nil then return key, value end
        end
    end
end

-- Refuses a table that must not be changed: a view, or a table of the chunk, which outlives the
-- call.
local function check_own(t, what)
    if type(t) ~= "table" or getmetatable(t) ~= nil then
        error(what .. ": expected a table that this call made, got " .. c.show(t), 3)
    end
end

local function append(t, value)
    check_own(t, "table.append")
    t[c.length(t) + 1] = value
end

local function remove_last(t)
    check_own(t, "table.remove_last")
    local n = c.length(t)
    local value = t[n]
    t[n] = nil
    return value
end

local function merge(from, to, first, middle, last, before)
    local i, j = first, middle
    for k = first, last - 1 do
        if i < middle and (j >= last or not before(from[j], from[i])) then
            to[k], i = from[i], i + 1
        else
            to[k], j = from[j], j + 1
        end
    end
end

local function is_less(a, b)
    return a < b
end

-- A stable sort, whose time is bounded whatever the comparison returns.
local function sort(t, before)
    check_own(t, "table.sort")
    check(before == nil or type(before) == "function", "table.sort", "a function", before)
    local n, width, from, to = c.length(t), 1, t, {}
    while width < n do
        c.charge(10 * n)
        for first = 1, n, 2 * width do
            local middle, last = first + width, first + 2 * width
            if middle > n + 1 then middle = n + 1 end
            if last > n + 1 then last = n + 1 end
            merge(from, to, first, middle, last, before or is_less)
        end
        from, to, width = to, from, 2 * width
    end
    if from ~= t then
        for i = 1, n do t[i] = from[i] end
    end
end

----------------------------------------------------------------------------------------------- time

-- hour and weekday take seconds since 1970 and, optionally, hours east of UTC.
local function hour(now, east)
    check(type(now) == "number", "hour", "a time in seconds", now)
    check(east == nil or type(east) == "number", "hour", "hours east of UTC", east)
    return floor(now / 3600 + (east or 0)) % 24
end

-- Returns 1 for Monday to 7 for Sunday; 1970 began on a Thursday.
local function weekday(now, east)
    check(type(now) == "number", "weekday", "a time in seconds", now)
    check(east == nil or type(east) == "number", "weekday", "hours east of UTC", east)
    return (floor((now / 3600 + (east or 0)) / 24) + 3) % 7 + 1
end

------------------------------------------------------------------------------------ the environment

local text = {
    len = str.len, sub = str.sub, byte = str.byte, lower = str.lower, upper = str.upper,
    starts_with = c.starts_with, ends_with = c.ends_with, contains = c.contains, format = c.format,
}
local of_strings = getmetatable("")
of_strings.__index = text
of_strings.__metatable = false

local params = {}
local visible = {
    assert = c.assert or base.assert, error = error, ipairs = ipairs, pairs = pairs, select = base.select,
    tonumber = base.tonumber, tostring = c.tostring, type = type,
    -- what lua_rewrite.h writes into the policy text: the operator `#`, and the count of instructions
    __lsched_length = c.length, __lsched_meter = c.meter,
    hash = c.hash, hour = hour, weekday = weekday, log = c.say,
    params = view_of("params", setmetatable(params, guard("params"))),
    string = library("string", text),
    table = library("table", { append = append, remove_last = remove_last, sort = sort }),
    math = library("math", {
        abs = math.abs, ceil = math.ceil, floor = floor, fmod = math.fmod, huge = math.huge,
        max = c.max or math.max, min = c.min or math.min, pi = math.pi, sqrt = math.sqrt,
        exp = c.exp, log = c.log, pow = c.pow,
    }),
}
open[visible.params] = params
-- The environment is not a view, for speed: policies read globals more often than anything else. No
-- policy can overwrite a global, because a text that assigns one is refused before it runs
-- (lua_source.c), and policy text has no other access to this table.
local environment = setmetatable(visible, guard("global"))

-------------------------------------------------------------------------------------- the libraries

-- Functions that the files library_*.lua share. Error level 0: lua_state.c finds the line of the
-- calling text.
local function refuse(what, expected, got)
    error(what .. ": expected " .. expected .. ", got " .. c.show(got), 0)
end

local tools = {
    type = type, refuse = refuse, sort = sort, byte = str.byte, len = str.len,
    duration = c.duration, memory = c.memory,
}

function tools.finite(what, expected, x)
    if type(x) ~= "number" or x - x ~= 0 then refuse(what, expected, x) end
end

function tools.positive(what, expected, x)
    if type(x) ~= "number" or not (x > 0) then refuse(what, expected, x) end
end

function tools.whole_number(what, expected, x, least, most)
    if type(x) ~= "number" or not (x >= least and x <= most) or floor(x) ~= x then
        refuse(what, expected, x)
    end
end

-- Makes the library table `name` in the environment. Called only for libraries that the text names.
local function install(name, make)
    rawset(visible, name, library(name, make(tools, c, math)))
end

---------------------------------------------------------------------------------------------- hooks

local labels = setmetatable({}, {
    __index = c.label, __newindex = c.frozen("labels"), __metatable = false,
})
views[labels] = "label table"

-- Makes the table that a hook gets as job, queue or node. There is one table, refreshed for each
-- element. Its fields exist from the begin, so the loop stores into them directly, and any other
-- write is refused. If the text of the hook does not show how it uses the table, the hook gets a
-- read-only view.
local function subject(o)
    local fields = {}
    for _, name in ipairs(o.names) do fields[name] = false end
    if o.labels then fields.labels = labels end
    setmetatable(fields, guard(o.what))
    return fields, o.sealed and view_of(o.what, fields) or fields
end

-- Makes the loop that calls the hook f. objects: a list of { what =, names = {...},
-- columns = {...}, per_row =, sealed =, labels = }. Returns run(n, now), which reads
-- columns[...][1..n], or [1] for an object that is not per_row. It writes results[1..n] and, unless
-- `reasons` is nil, reasons[1..n]; at[1] is the current element. timed: f also gets the time `now`.
local function build(f, objects, at, results, reasons, timed)
    local names, values = { "f, at, results, reasons" }, { f, at, results, reasons or false }
    local once, each, arguments = {}, {}, {}
    for i, o in ipairs(objects) do
        local fields, given = subject(o)
        values[#values + 1], values[#values + 2] = fields, given
        names[#names + 1] = ", s" .. i .. ", o" .. i
        arguments[#arguments + 1] = (i > 1 and ", o" or "o") .. i
        for k, name in ipairs(o.names) do
            local column, lines = "c" .. i .. "_" .. k, o.per_row and each or once
            values[#values + 1] = o.columns[k]
            names[#names + 1] = ", " .. column
            local element = o.per_row and "[i] " or "[1] "
            lines[#lines + 1] = "s" .. i .. "." .. name .. " = " .. column .. element
        end
    end
    -- copied to locals of the loop, because each use of an upvalue costs an instruction
    local all = c.join(names)
    local source = c.join({
        "local ", all, " = ...\nreturn function(n, now)\nlocal ", all, " = ", all, "\n", c.join(once),
        "\nfor i = 1, n do at[1] = i ", c.join(each),
        reasons and "\nresults[i], reasons[i]" or "\nresults[i]",
        " = f(", c.join(arguments), timed and ", now) end end" or ") end end",
    })
    return loadstring(source, "=loop")(unpack(values))
end

-- The metatable for tables of the chunk: new entries are refused, and absent entries read as nil.
local frozen = { __newindex = c.frozen("table of the chunk"), __metatable = false }

return environment, params, build, frozen, install
