-- build-train: desks that nobody takes away, and training that fills the rest of the cluster.
--
-- When: people build interactively on a few GPUs and train on many. Interactive jobs are
-- non-preemptible and must fit the quota of their queue; training is preemptible, has its queue's
-- quota for sure, and grows beyond it while others leave room. Jobs that are submitted the wrong
-- way wait with a message that says what to change. docs/policies/build-train.md shows the queues.
return {
    api = 1,
    name = "build-train",
    fair_share = "quota",
    placement = "binpack",
    pipeline = { "allocate", "drain", "consolidate", "reclaim", "preempt", "evict-stale-gangs" },
    params = {
        build_hours = 0,          -- interactive jobs must say when they end, within that; 0: no
        build_gpus = 0,           -- an interactive job may ask for at most that; 0: up to the quota
        safe_training = false,    -- may training be non-preemptible, within the quota?
        release_seconds = 30,     -- how long a task takes to stop
        evictions_per_hour = 0,   -- 0: any number
        stale_grace_seconds = 60, -- how long a gang may be below its minimum
    },
    eviction = function()
        return {
            release_seconds = params.release_seconds,
            per_hour = params.evictions_per_hour,
            saturation = 1.5, -- as in guaranteed-quota
            stale_grace_seconds = params.stale_grace_seconds,
        }
    end,
    admit = function(job, queue)
        if job.preemptible then
            if job.interactive then
                return false, "interactive jobs keep their place: submit it as non-preemptible"
            end
            return true
        end
        if not job.interactive and not params.safe_training then
            return false, "training may be stopped for others: submit it as preemptible"
        end
        if job.tasks_min == job.tasks and job.gpu_total > queue.gpu_quota then
            return false, string.format("it asks for %g GPUs, the quota of '%s' is %g: what is "
                .. "non-preemptible must fit", job.gpu_total, queue.name:sub(1, 40), queue.gpu_quota)
        end
        if not job.interactive then
            return true
        end
        if params.build_gpus > 0 and job.gpu_total > params.build_gpus then
            return false, string.format("interactive jobs have at most %g GPUs", params.build_gpus)
        end
        local hours = job.duration / 3600
        if params.build_hours > 0 and (hours <= 0 or hours > params.build_hours) then
            return false, string.format("interactive jobs say when they end, within %g hours",
                params.build_hours)
        end
        return true
    end,
}
