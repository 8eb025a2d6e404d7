-- The job itself.
-- expect: hook E_POLICY must return a number, got a table
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return job
        end
        return 42
    end,
}
