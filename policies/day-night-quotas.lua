-- day-night-quotas: what queues are guaranteed differs between working hours and the rest.
--
-- When: people need their part of the cluster while they are at work, and at night and at weekends
-- it should belong to batch work. Quotas as configured are those of the day. Outside working hours
-- a queue whose name contains day_queues is guaranteed its quota times day_queues_at_night, one
-- whose name contains night_queues its quota times night_queues_at_night. Nothing is stopped by the
-- clock: work that the new guarantees do not cover is borrowed, and goes when an owner wants it.
-- docs/policies/day-night-quotas.md shows how to choose the numbers.
local SECONDS_PER_HOUR = 3600

-- Are these working hours, and until when (seconds since 1970; nil: for ever).
local function is_day(now)
    local east, begins, ends = params.utc_offset_hours, params.day_begins_hour, params.day_ends_hour
    assert(0 <= begins and begins < ends and ends <= 24, "a day begins before its end, within 24 h")
    local midnight = math.floor((now / SECONDS_PER_HOUR + east) / 24) * 24 - east
    for day = 0, 7 do
        local from = (midnight + 24 * day + begins) * SECONDS_PER_HOUR
        local to = (midnight + 24 * day + ends) * SECONDS_PER_HOUR
        if params.workdays:contains(string.format("%d", weekday(from, east))) then
            if now < from then return false, from end
            if now < to then return true, to end
        end
    end
    return false, nil
end

-- Whole GPUs stay whole; what has no bound keeps none.
local function scaled(amount, factor)
    if amount > 1e12 then return math.huge end
    if amount == math.floor(amount) then return math.floor(amount * factor) end
    return amount * factor
end

return {
    api = 1,
    name = "day-night-quotas",
    fair_share = "quota",
    placement = "binpack",
    pipeline = { "allocate", "consolidate", "reclaim", "preempt", "evict-stale-gangs" },
    params = {
        utc_offset_hours = 0,        -- hours east of UTC; there is no daylight saving time
        day_begins_hour = 8,
        day_ends_hour = 20,
        workdays = "12345",          -- 1 is Monday; other days are night all day long
        day_queues = "desk",         -- names of queues that have their quota by day
        day_queues_at_night = 0.25,  -- what is left of it at night
        night_queues = "batch",      -- names of queues that get more at night
        night_queues_at_night = 1.75,
        release_seconds = 30,        -- how long a task takes to stop
        evictions_per_hour = 0,      -- 0: any number
    },
    eviction = function()
        return {
            release_seconds = params.release_seconds,
            per_hour = params.evictions_per_hour,
            saturation = 1.5, -- as in guaranteed-quota
        }
    end,
    quota = function(queue, now)
        local day, changes = is_day(now)
        local factor = 1
        if queue.name:contains(params.day_queues) then
            factor = params.day_queues_at_night
        elseif queue.name:contains(params.night_queues) then
            factor = params.night_queues_at_night
        end
        if day or factor == 1 then return {}, changes end -- as configured
        return {
            gpu = scaled(queue.gpu_quota, factor),
            cpu = scaled(queue.cpu_quota, factor),
            memory = scaled(queue.memory_quota, factor),
        }, changes
    end,
}
