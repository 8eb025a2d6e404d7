-- library_stats.lua -- the table `stats`: statistics of a list of numbers. Sums are computed from
-- first to last element, so their last bit depends on the list alone. An empty list is an error,
-- because no number would be right as its mean.
local tools, c, math = ...
local type = tools.type
local refuse, floor, sqrt = tools.refuse, math.floor, math.sqrt

-- Checks that all elements are finite numbers, and returns how many there are.
local function size_of(what, list)
    local n = type(list) == "table" and c.length(list) or 0
    if n == 0 then refuse(what, "a list of numbers that is not empty", list) end
    c.charge(20 * n) -- for this loop and those of the caller
    for i = 1, n do
        local x = list[i]
        if type(x) ~= "number" or x - x ~= 0 then
            refuse(what, "finite numbers only", x)
        end
    end
    return n
end

local function total(list, n)
    local sum = 0
    for i = 1, n do sum = sum + list[i] end
    return sum
end

local function sorted(list, n)
    local copy = {}
    for i = 1, n do copy[i] = list[i] end
    tools.sort(copy)
    return copy
end

-- Interpolates linearly between two neighbours; q = 0 is the smallest element, q = 1 the largest.
local function quantile_of(list, n, q)
    local copy = sorted(list, n)
    local at = 1 + q * (n - 1)
    local below = floor(at)
    if below >= n then return copy[n] end
    return copy[below] + (at - below) * (copy[below + 1] - copy[below])
end

local stats = {}

function stats.count(list)
    local n = size_of("stats.count", list)
    return n
end

function stats.sum(list)
    local n = size_of("stats.sum", list)
    return total(list, n)
end

function stats.mean(list)
    local n = size_of("stats.mean", list)
    return total(list, n) / n
end

function stats.min(list)
    local n = size_of("stats.min", list)
    local least = list[1]
    for i = 2, n do if list[i] < least then least = list[i] end end
    return least
end

function stats.max(list)
    local n = size_of("stats.max", list)
    local most = list[1]
    for i = 2, n do if list[i] > most then most = list[i] end end
    return most
end

function stats.median(list)
    local n = size_of("stats.median", list)
    return quantile_of(list, n, 0.5)
end

function stats.quantile(list, q)
    local n = size_of("stats.quantile", list)
    if type(q) ~= "number" or not (q >= 0 and q <= 1) then
        refuse("stats.quantile", "a quantile from 0 to 1", q)
    end
    return quantile_of(list, n, q)
end

-- Returns the standard deviation of the list as a whole population, not as a sample of one.
function stats.deviation(list)
    local n = size_of("stats.deviation", list)
    local mean, sum = total(list, n) / n, 0
    for i = 1, n do
        local away = list[i] - mean
        sum = sum + away * away
    end
    return sqrt(sum / n)
end

-- Returns Jain's fairness index: 1 if all elements are equal, 1/n if one element has everything. If
-- all are 0, the index is 1.
function stats.fairness(list)
    local n, sum, squares = size_of("stats.fairness", list), 0, 0
    for i = 1, n do
        local x = list[i]
        if x < 0 then refuse("stats.fairness", "numbers from 0", x) end
        sum, squares = sum + x, squares + x * x
    end
    if squares == 0 then return 1 end
    return sum * sum / (n * squares)
end

return stats
