return {
    api = 1,
    priority = function(job)
        return job.priority + job.wating / 3600
    end,
}
