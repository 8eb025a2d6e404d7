-- library_decay.lua -- the table `decay`: functions for values that decrease or grow with age.
-- Powers are computed by base/fixed, so the bits are the same on every machine. A negative age (the
-- clock was set back) counts as 0.
local tools, c = ...
local finite, positive = tools.finite, tools.positive

local function half(age, half_life)
    if age <= 0 then return 1 end
    return c.pow(2, -age / half_life)
end

local decay = {}

-- Returns the rest of `value` after `age`: half of it after half_life, a quarter after two.
function decay.half_life(value, age, half_life)
    finite("decay.half_life", "a value", value)
    finite("decay.half_life", "an age", age)
    positive("decay.half_life", "a half-life above 0", half_life)
    return value * half(age, half_life)
end

-- Returns a value that falls linearly from `value` to 0 over `life`.
function decay.linear(value, age, life)
    finite("decay.linear", "a value", value)
    finite("decay.linear", "an age", age)
    positive("decay.linear", "a life above 0", life)
    if age <= 0 then return value end
    if age >= life then return 0 end
    return value * (1 - age / life)
end

-- Returns a value that grows from 0 towards 1 and is 0.5 after half_life: for priorities that grow
-- with waiting time up to a bound.
function decay.rise(age, half_life)
    finite("decay.rise", "an age", age)
    positive("decay.rise", "a half-life above 0", half_life)
    return 1 - half(age, half_life)
end

return decay
