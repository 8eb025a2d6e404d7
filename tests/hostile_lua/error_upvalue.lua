-- An error object that is the environment's own table.
-- expect: hook E_POLICY (error object is a table)
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            error(math)
        end
        return 42
    end,
}
