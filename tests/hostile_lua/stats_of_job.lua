-- A job is no list.
-- expect: hook E_POLICY stats.mean: expected a list
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return stats.mean(job)
        end
        return 42
    end,
}
