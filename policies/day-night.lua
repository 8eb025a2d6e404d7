-- day-night: queues for batch work give up part of their guarantee by day.
--
-- When: people work on the cluster by day and training fills it by night and on weekends. A queue
-- whose name begins with `batch` is guaranteed day_factor of its configured quota from day_begins
-- to night_begins (hours, `east` of UTC) on working days, all of it otherwise. What nobody uses may
-- still be borrowed at any time; only the guarantee moves.
return {
    api = 1,
    name = "day-night",
    fair_share = "drf",
    placement = "binpack",
    params = { batch = "batch", day_begins = 8, night_begins = 20, east = 0, day_factor = 0.5 },
    quota = function(queue, now)
        if not string.starts_with(queue.name, params.batch) then return nil end
        local h = hour(now, params.east)
        local is_weekend = weekday(now, params.east) >= 6
        local is_night = is_weekend or h < params.day_begins or h >= params.night_begins
        local again = now - now % 900 + 900 -- the answer can change at a quarter of an hour only
        if is_night then return nil, again end
        return {
            gpu = queue.gpu_quota * params.day_factor,
            cpu = queue.cpu_quota * params.day_factor,
            memory = queue.memory_quota * params.day_factor,
        }, again
    end,
}
