return {
    api = 1,
    priority = function(job)
        days = job.waiting / 86400
        return job.priority + 10 * days
    end,
}
