return {
    api = 1,
    prority = function(job)
        return job.priority
    end,
}
