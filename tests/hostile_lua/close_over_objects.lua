-- A closure that keeps the job beyond its call sees the one of the moment.
-- expect: hook E_POLICY must return a number, got a function
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return function() return job.priority end
        end
        return 42
    end,
}
