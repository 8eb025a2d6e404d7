-- guaranteed-quota: each queue surely gets its quota, and lends what it leaves idle.
--
-- When: several teams share a cluster, each is promised a part of it, and no GPU is to stand idle
-- while anybody has work. What a queue runs above its quota runs on borrowed room and is evicted
-- when the owner needs it; what must not be is submitted as non-preemptible, within the quota.
-- docs/policies/guaranteed-quota.md has the rules and the parameters.
return {
    api = 1,
    name = "guaranteed-quota",
    fair_share = "quota",
    placement = "binpack",
    pipeline = { "allocate", "drain", "consolidate", "reclaim", "preempt", "evict-stale-gangs" },
    params = {
        release_seconds = 30,         -- how long a task takes to stop
        grace_seconds = 120,          -- how long after that a claim on its room holds
        evictions_per_hour = 0,       -- 0: any number
        moves_max = 16,               -- tasks that one consolidation may move
        protection = "path",          -- or "divergence"
        victims = "cheapest",         -- or "newest", "fewest"
        saturation = 1.5,             -- above guarantees, how far above fair shares victims are
        preemption_delay_seconds = 0, -- who waits for less evicts nobody
        stale_grace_seconds = 60,     -- how long a gang may be below its minimum
        half_life_days = 0,           -- of past use; 0: it does not fade
        window_days = 0,              -- the count begins anew that often; 0: never
        usage_weight = 1,             -- how much past use bends the weights
    },
    eviction = function()
        return {
            release_seconds = params.release_seconds,
            grace_seconds = params.grace_seconds,
            per_hour = params.evictions_per_hour,
            moves_max = params.moves_max,
            protection = params.protection,
            victims = params.victims,
            saturation = params.saturation,
            preemption_delay_seconds = params.preemption_delay_seconds,
            stale_grace_seconds = params.stale_grace_seconds,
        }
    end,
    usage = function()
        return {
            half_life = params.half_life_days * 86400,
            window = params.window_days * 86400,
            weight = params.usage_weight,
        }
    end,
}
