-- policy_test_words.lua: functions that make texts for the tests of policies. They show values for
-- people, suggest similar words, and write tables as YAML. The program runs this file before
-- policy_tests.lua, and gives the table that this file returns to policy_tests.lua.
local huge, floor = math.huge, math.floor
local format, concat, sort = string.format, table.concat, table.sort
local raise = error
local host = ...

-- ---- words --------------------------------------------------------------------------------------

-- The metatable of errors that fail() raises. With it, policy_tests.lua knows that an error is a
-- failure of a test, and not a defect of these Lua files.
local Failure = {}

local function fail(message, plan, line)
    raise(setmetatable({ message = message, plan = plan, line = line }, Failure), 0)
end

local function quote(value)
    if type(value) == "string" then return "'" .. value .. "'" end
    return tostring(value)
end

local function is_name(key)
    return type(key) == "string" and key:find("^[%a_][%w_]*$") ~= nil
end

local function by_type_and_value(a, b)
    if type(a) ~= type(b) then return type(a) < type(b) end
    if type(a) == "number" or type(a) == "string" then return a < b end
    return tostring(a) < tostring(b)
end

local function keys_of(t)
    local keys = {}
    for key in pairs(t) do keys[#keys + 1] = key end
    sort(keys, by_type_and_value)
    return keys
end

-- Returns a value as text for a person. Tables that are nested more than four levels deep become
-- "{...}".
local function show(value, depth)
    depth = depth or 0
    if type(value) == "number" and value == floor(value) and value > -1e15 and value < 1e15 then
        return format("%d", value)
    elseif type(value) ~= "table" then
        return type(value) == "string" and format("%q", value) or tostring(value)
    elseif depth >= 4 then
        return "{...}"
    end
    local parts = {}
    for _, key in ipairs(keys_of(value)) do
        local text = show(value[key], depth + 1)
        if type(key) == "number" and parts[key - 1] or key == 1 then
            parts[#parts + 1] = text
        else
            parts[#parts + 1] = (is_name(key) and key or "[" .. show(key) .. "]") .. " = " .. text
        end
    end
    return #parts == 0 and "{}" or "{ " .. concat(parts, ", ") .. " }"
end

local function meant(word, names)
    local other = host.suggest(word, names)
    return other and "; did you mean '" .. other .. "'?" or ""
end

-- ---- tables to YAML -----------------------------------------------------------------------------

-- The value of these keys is always written as a list. A test can give a single element without a
-- list around it, or an empty table.
local LISTS = {}
for word in ([[nodes queues jobs running submit update_jobs add_nodes update_nodes add_queues update_queues
        children groups usage task_mix]]):gmatch("%S+") do
    LISTS[word] = true
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r" }

local function yaml_text(text)
    return '"' .. text:gsub('[%c"\\]', function(c)
        return escapes[c] or format("\\x%02x", c:byte())
    end) .. '"'
end

local function yaml_number(number, path)
    if number == huge then return "unlimited" end
    if number ~= number or number == -huge then
        fail(path .. ": expected a number, got " .. number)
    end
    if number == floor(number) and number > -1e15 and number < 1e15 then
        return format("%d", number)
    end
    return (format("%.12f", number):gsub("0+$", ""))
end

local function is_list(t)
    return #t > 0 or next(t) == nil
end

local yaml_value

local function yaml_list(t, path)
    local parts = {}
    for key in pairs(t) do
        if type(key) ~= "number" then
            fail(format("%s: a list cannot have the key %s beside its elements", path, quote(key)))
        end
    end
    for i, value in ipairs(t) do
        parts[i] = yaml_value(value, nil, format("%s[%d]", path, i))
    end
    return "[" .. concat(parts, ", ") .. "]"
end

local function yaml_map(t, path)
    local parts = {}
    for i, key in ipairs(keys_of(t)) do
        if type(key) ~= "string" then
            fail(format("%s: expected a name as key, got %s", path, show(key)))
        end
        parts[i] = yaml_text(key) .. ": " .. yaml_value(t[key], key, path .. "." .. key)
    end
    return "{" .. concat(parts, ", ") .. "}"
end

function yaml_value(value, key, path)
    local kind = type(value)
    if kind == "string" then return yaml_text(value) end
    if kind == "number" then return yaml_number(value, path) end
    if kind == "boolean" then return tostring(value) end
    if kind ~= "table" then fail(format("%s: a scenario has no place for a %s", path, kind)) end
    if LISTS[key] and (value.name or value.task) then return yaml_list({ value }, path) end
    if #value > 0 or LISTS[key] and next(value) == nil then return yaml_list(value, path) end
    return yaml_map(value, path)
end

return {
    Failure = Failure, fail = fail, quote = quote, keys_of = keys_of, show = show, meant = meant,
    is_list = is_list, yaml_text = yaml_text, yaml_value = yaml_value,
}
