-- plan-ahead: jobs that say how long they run are planned over time, and backfilled.
--
-- When: jobs have estimates or time limits, wide ones starve behind narrow ones, and people want to
-- know when theirs starts. Each job gets the earliest start that delays none before it; what is
-- short runs in the gaps. Nobody starts later than in the order of the queue. docs/pack-cycle.md
-- tells how. The number of jobs looked at together and the work of the planner are parameters.
return {
    api = 1,
    name = "plan-ahead",
    fair_share = "drf",
    placement = "binpack", -- of what the plan cannot express
    pipeline = { "evict-overdue", "ts-dpbp" },
    params = {
        ts_window = 64,  -- jobs planned together
        ts_work = 20000, -- units of the packer's work for them; 0: the serial schedule alone
    },
}
