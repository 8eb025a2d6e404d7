-- library_usage.lua -- the table `usage`: functions that compare the use of a queue with its
-- guarantee. The functions take two numbers and not the queue, so that the text of a hook shows
-- which fields the hook reads. An unlimited guarantee is math.huge, and no use is above it.
local tools, _, math = ...
local type = tools.type
local refuse, huge = tools.refuse, math.huge

local function check(what, used, guarantee)
    if type(used) ~= "number" or used - used ~= 0 then refuse(what, "the amount used", used) end
    if type(guarantee) ~= "number" or not (guarantee >= 0) then
        refuse(what, "a guarantee from 0", guarantee)
    end
end

local usage = {}

-- Returns by how much the use is above the guarantee, 0 if it is not above.
function usage.over(used, guarantee)
    check("usage.over", used, guarantee)
    if used > guarantee then return used - guarantee end
    return 0
end

-- Returns by how much the use is below the guarantee, 0 if it is not below.
function usage.under(used, guarantee)
    check("usage.under", used, guarantee)
    if used < guarantee then return guarantee - used end
    return 0
end

-- Returns the fraction of the guarantee that is used: 0 for an unlimited guarantee, and `otherwise`
-- (default 1) for a guarantee of 0, so that a policy never divides by 0.
function usage.ratio(used, guarantee, otherwise)
    check("usage.ratio", used, guarantee)
    if otherwise ~= nil and type(otherwise) ~= "number" then
        refuse("usage.ratio", "a number for a guarantee of 0", otherwise)
    end
    if guarantee == 0 then return otherwise or 1 end
    if guarantee == huge then return 0 end
    return used / guarantee
end

return usage
