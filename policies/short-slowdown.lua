-- short-slowdown: a short job waits shortly, and a long one is passed for a bounded time.
--
-- When: jobs say how long they run, and a wait hurts in proportion to that: an hour is much for a
-- minute of work, and little for a day. A job is due when it has waited `stretch` times as long as
-- it runs, but at the latest after bound_hours. The job that is due first has a reservation, and
-- the shortest run in the gaps. So the order of two jobs never changes, and those that come
-- bound_hours later are behind. Without estimates of running work there is no reservation, and wide
-- jobs can be passed for ever. docs/policies/short-slowdown.md has figures of published logs.
return {
    api = 1,
    name = "short-slowdown",
    fair_share = "drf",
    placement = "binpack",
    pipeline = { "backfill" },
    params = {
        stretch = 60,              -- a job is due after a wait of so many times its run time
        bound_hours = 96,          -- and at the latest after so long; 0: the order of arrival
        unknown_hours = 24,        -- how long a job without an estimate counts as running
        backfill_reservations = 1, -- this and the next two: docs/backfill.md
        backfill_order = 2,
        backfill_firm = 0,
    },
    priority = function(job)
        local duration = job.duration
        if duration == 0 then duration = params.unknown_hours * 3600 end
        local slack = math.min(params.stretch * duration, params.bound_hours * 3600)
        return -job.submitted - math.max(slack, 0)
    end,
}
