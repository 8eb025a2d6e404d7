-- priority-ageing: the priority of a job grows while it waits.
--
-- When: priorities are used and low ones must not starve. After a day of waiting a job has gained
-- points_per_day, so with 10 a job of priority 50 passes fresh jobs of priority 60 after one day.
-- All jobs grow at the same rate: two jobs never change places because of it, only a newcomer finds
-- a higher bar.
return {
    api = 1,
    name = "priority-ageing",
    fair_share = "drf",
    placement = "binpack",
    params = { points_per_day = 10 },
    priority = function(job)
        return job.priority + params.points_per_day * job.waiting / 86400
    end,
}
