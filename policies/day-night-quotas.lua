-- day-night-quotas: what queues are guaranteed differs between working hours and the rest.
--
-- When: people need their part of the cluster while they are at work, and at night and at weekends
-- it should belong to batch work. Quotas as configured are those of the day. Outside working hours
-- a queue whose name contains day_queues is guaranteed its quota times day_queues_at_night, one
-- whose name contains night_queues its quota times night_queues_at_night. Nothing is stopped by the
-- clock: work that the new guarantees do not cover is borrowed, and goes when an owner wants it.
-- docs/policies/day-night-quotas.md shows how to choose the numbers.
-- Working hours, at that time?
local function is_day(now)
    local east = params.utc_offset_hours
    return calendar.in_window(now, params.day_begins, params.day_ends, east)
        and params.workdays:contains(string.format("%d", calendar.weekday(now, east)))
end

-- When it is next one of the two times at which that may change, in seconds since 1970.
local function next_change(now)
    local east = params.utc_offset_hours
    return math.min(calendar.next(now, params.day_begins, east),
        calendar.next(now, params.day_ends, east))
end

-- Whole GPUs stay whole; what has no bound keeps none.
local function scaled(amount, factor)
    if amount == math.huge or factor == 1 then return amount end
    if amount == math.floor(amount) then return math.floor(amount * factor) end
    return amount * factor
end

return {
    api = 1,
    name = "day-night-quotas",
    fair_share = "quota",
    placement = "binpack",
    pipeline = { "allocate", "drain", "consolidate", "reclaim", "preempt", "evict-stale-gangs" },
    params = {
        utc_offset_hours = 0,        -- hours east of UTC; there is no daylight saving time
        day_begins = "08:00",
        day_ends = "20:00",
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
        local factor = 1 -- by day, and for queues of other names: as configured
        if not is_day(now) then
            if queue.name:contains(params.day_queues) then
                factor = params.day_queues_at_night
            elseif queue.name:contains(params.night_queues) then
                factor = params.night_queues_at_night
            end
        end
        return {
            gpu = scaled(queue.gpu_quota, factor),
            cpu = scaled(queue.cpu_quota, factor),
            memory = scaled(queue.memory_quota, factor),
        }, next_change(now)
    end,
}
