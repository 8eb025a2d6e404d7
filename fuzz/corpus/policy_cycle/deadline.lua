-- deadline: the job that can wait least for its deadline goes first.
--
-- When: jobs say by when they must have ended and how long they run, and being late is what hurts.
-- Jobs of one queue go by laxity: the time to the deadline less the time they still need. One
-- without a deadline counts as due patience_hours after its submission, so it starts some day. One
-- that is too late already steps back by late_hours, so that it does not make others late as well,
-- and goes before all of them once it has waited that long. docs/policies/deadline.md has an
-- example.
return {
    api = 1,
    name = "deadline",
    fair_share = "drf",
    placement = "binpack",
    params = {
        patience_hours = 72, -- a job without a deadline is due so long after its submission
        unknown_hours = 1,   -- how long a job without an estimate runs
        late_hours = 24,     -- how far a job that cannot be on time steps back; 0: it goes first
        priority_hours = 0,  -- each 1 of a job's priority brings it forward by so much
    },
    priority = function(job, queue, now)
        local due, duration = job.deadline, job.duration
        if due == 0 then due = job.submitted + params.patience_hours * 3600 end
        if duration == 0 then duration = params.unknown_hours * 3600 end
        local laxity = due - duration - now
        if laxity < 0 then laxity = laxity + params.late_hours * 3600 end
        return params.priority_hours * 3600 * job.priority - laxity
    end,
}
