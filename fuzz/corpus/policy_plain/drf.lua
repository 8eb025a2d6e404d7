-- drf: weighted dominant-resource fairness between queues, full nodes first.
--
-- When: several teams share a cluster, none is promised anything and none is to be pushed aside.
-- The queue whose largest share of any resource is smallest comes first; the weights of the queues
-- tilt that. Idle resources go to whoever asks, and what a queue holds beyond others is taken back
-- for one with less, as far as that makes shares more even. docs/policies/drf.md has the rule.
return {
    api = 1,
    name = "drf",
    fair_share = "drf",
    placement = "binpack",
    pipeline = { "allocate", "drain", "reclaim" },
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
