-- cheap-hours: work with a deadline waits for the hours in which it costs least.
--
-- When: a price or the carbon of power follows the hour of the day, and some work can wait. A job
-- with a deadline and an estimate, for which nobody waits, starts when its whole run costs least of
-- all starts that keep the deadline, or when waiting would save less than least_saving of its cost.
-- All other jobs start at once. docs/policies/cheap-hours.md has an example.

-- The price in the hour of the day.
local function price_in(hour)
    local digit = params.prices:byte(hour + 1)
    assert(#params.prices == 24 and digit >= 48 and digit <= 57,
        "prices must be 24 digits, one for each hour of the day")
    return digit - 48
end

-- Called when the policy is loaded, so that a wrong number stops no job later.
local function check_params()
    for hour = 0, 23 do price_in(hour) end
    assert(params.utc_offset_hours >= -24 and params.utc_offset_hours <= 24,
        "utc_offset_hours must be hours from -24 to 24")
    assert(params.least_saving >= 0 and params.least_saving <= 1,
        "least_saving must be a part from 0 to 1")
    assert(params.margin_minutes >= 0, "margin_minutes must be 0 or more")
end

-- Seconds after the begin of an hour.
local function into_hour(at)
    return (at + params.utc_offset_hours * 3600) % 3600
end

-- sums[i] is the cost of the first i hours after `origin`, which is the begin of an hour.
local function sums_from(origin)
    local first, sums = calendar.hour(origin, params.utc_offset_hours), { [0] = 0 }
    for i = 1, 50 do sums[i] = sums[i - 1] + 3600 * price_in((first + i - 1) % 24) end
    return sums
end

-- The cost of the seconds from `origin` on, less than 50 hours.
local function cost_until(sums, seconds)
    local hours = math.floor(seconds / 3600)
    return sums[hours] + (sums[hours + 1] - sums[hours]) / 3600 * (seconds - hours * 3600)
end

-- What a run costs that begins so many seconds after `origin`. Whole days cost the same always.
local function cost_of(sums, from, duration)
    local whole = math.floor(duration / 86400) * sums[24]
    return whole + cost_until(sums, from + duration % 86400) - cost_until(sums, from)
end

-- The cheapest start from `from` to `last`, in seconds after `origin`, and its cost; the earliest
-- of equals. Prices are the same on each day. So a run that costs least begins or ends with an
-- hour, or begins at one end.
local function best_start(sums, from, last, duration)
    local best, least = from, cost_of(sums, from, duration)
    for hour = 3600, last + 3600, 3600 do
        for _, at in ipairs { hour - duration % 3600, math.min(hour, last) } do
            local cost = at > from and at <= last and cost_of(sums, at, duration) or math.huge
            if cost < least then best, least = at, cost end
        end
    end
    return best, least
end

return {
    api = 1,
    name = "cheap-hours",
    fair_share = "drf",
    placement = "binpack",
    params = {
        prices = "222222355555444455999764", -- a digit for each hour of the day, from 0 h on
        utc_offset_hours = 0,                -- hours east of UTC; there is no daylight saving time
        least_saving = 0.05,                 -- part of the cost that makes a job wait
        margin_minutes = 10,                 -- how long before its last chance a job starts
    },
    admit = function(job, queue, now)
        if job.deadline == 0 or job.duration == 0 or job.interactive then return true end
        local latest = job.deadline - job.duration - params.margin_minutes * 60
        if now >= latest then return true end
        local from = into_hour(now)
        local sums, last = sums_from(now - from), from + math.min(latest - now, 86400)
        local best, least = best_start(sums, from, last, job.duration)
        local most = (1 - params.least_saving) * cost_of(sums, from, job.duration)
        if least >= most then return true end
        local hours = (best - from) / 3600
        local format = "waits %.1f h for cheaper hours, in time for its deadline"
        return false, string.format(format, hours)
    end,
    -- no limit of its own, but a cycle that is due when the next hour begins
    limit = function(queue, now)
        check_params()
        return nil, now - into_hour(now) + 3600
    end,
}
