return {
    api = 1,
    pipeline = function(cluster, now)
        if cluster.jobs_pending > 3 then return { "allocate", "reclaim", "preempt" } end
        return { "allocate" }
    end,
    placement = function(job, queue, now) if job.gpu > 1 then return "fgd" end end,
    idle = function(job) return job.runtime > 100 end,
}
