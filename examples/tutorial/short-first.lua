-- short-first: a short job goes before a long one. Waiting adds points, so that a long job gets its turn.
return {
    api = 1,
    name = "short-first",
    placement = "best-fit",
    params = { points_per_hour = 1 },
    priority = function(job)
        return job.priority - job.duration / 3600 + params.points_per_hour * job.waiting / 3600
    end,
}
