return {
    api = 1,
    name = "research-first",
    placement = "best-fit",
    params = { points_per_day = 10 },
    priority = function(job, queue)
        local bonus = queue.name == "research" and 5 or 0
        return job.priority + bonus + params.points_per_day * job.waiting / 86400
    end,
    admit = function(job)
        if job.interactive and job.duration == 0 then return false, "say how long it runs" end
        return true
    end,
}
