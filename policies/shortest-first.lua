-- shortest-first: the job that is expected to end first goes first.
--
-- When: durations are estimated honestly and short waits for many matter more than the wait of a
-- few. A job without an estimate counts as unknown_hours. So that long jobs start some day, each
-- hour of waiting makes a job count as `patience` hours shorter; 0 is the strict rule. The priority
-- that a job was submitted with does not count.
return {
    api = 1,
    name = "shortest-first",
    fair_share = "drf",
    placement = "binpack",
    params = { unknown_hours = 24, patience = 0.1 },
    priority = function(job)
        local hours = job.duration / 3600
        if hours <= 0 then hours = params.unknown_hours end
        return params.patience * job.waiting / 3600 - hours
    end,
}
