-- library_usage.lua -- the table `usage`: what a queue uses against what it is guaranteed. They
-- take the two numbers, not the queue: so the text of a hook shows what it reads. An unlimited
-- guarantee is math.huge, and nothing is over it.
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

-- How far it is above, 0 if it is not.
function usage.over(used, guarantee)
    check("usage.over", used, guarantee)
    if used > guarantee then return used - guarantee end
    return 0
end

-- How far it is below, 0 if it is not.
function usage.under(used, guarantee)
    check("usage.under", used, guarantee)
    if used < guarantee then return guarantee - used end
    return 0
end

-- The part that is used: 0 of an unlimited one; of none, `otherwise` (1), so that nobody divides by
-- 0.
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
