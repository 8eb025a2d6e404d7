-- notebooks: interactive work ends when nobody uses it, or when its time is over.
--
-- When: people open notebooks and desks on GPUs and forget them. What is interactive has at most
-- session_gpus GPUs and session_hours, and is stopped once it has not used its GPUs for idle_hours.
-- Needs reports of use (lsched_usage_report) from the host: work that was never reported counts as
-- busy. Queues have quotas as in guaranteed-quota. What is stopped waits until its owner asks for
-- it again (LSCHED_JOB_SET_AGAIN). docs/policies/notebooks.md has an example.
return {
    api = 1,
    name = "notebooks",
    fair_share = "quota",
    placement = "binpack",
    pipeline = {
        "evict-overdue", "evict-idle",
        "allocate", "drain", "consolidate", "reclaim", "preempt", "evict-stale-gangs",
    },
    params = {
        idle_hours = 2,       -- interactive work that leaves its GPUs idle for so long; 0: never
        session_hours = 12,   -- interactive work runs at most so long; 0: for any time
        session_gpus = 2,     -- an interactive job has at most so many GPUs; 0: any number
        batch_hours = 0,      -- other work runs at most so long; 0: for any time
        release_seconds = 60, -- how long a task takes to stop
    },
    eviction = function()
        return { release_seconds = params.release_seconds }
    end,
    admit = function(job)
        if job.interactive and params.session_gpus > 0 and job.gpu_total > params.session_gpus then
            return false, string.format("interactive jobs have up to %g GPUs", params.session_gpus)
        end
        return true
    end,
    time_limit = function(job)
        local hours = params.batch_hours
        if job.interactive then hours = params.session_hours end
        if hours == 0 then return job.time_limit end
        return math.min(hours * 3600, job.time_limit)
    end,
    idle = function(job)
        return job.interactive and params.idle_hours > 0 and job.idle >= params.idle_hours * 3600
    end,
}
