-- cohort: queues lend to the other queues of their cohort what they do not use, up to their limits.
--
-- When: queues come in groups that help each other out (a queue with children is such a cohort),
-- each with an amount of its own, a limit on what it borrows, and perhaps a lend limit. Whoever
-- borrows least for its weight goes first, and lent room is taken back when its owner has work.
-- docs/policies/cohort.md compares it with guaranteed-quota.
return {
    api = 1,
    name = "cohort",
    fair_share = "cohort",
    placement = "binpack",
    pipeline = { "allocate", "drain", "reclaim", "preempt" },
    params = {
        release_seconds = 30,         -- how long a task takes to stop
        evictions_per_hour = 0,       -- 0: any number
        victims = "cheapest",         -- or "newest", "fewest"
        preemption_delay_seconds = 0, -- who waits for less evicts nobody
    },
    eviction = function()
        return {
            release_seconds = params.release_seconds,
            per_hour = params.evictions_per_hour,
            victims = params.victims,
            preemption_delay_seconds = params.preemption_delay_seconds,
        }
    end,
}
