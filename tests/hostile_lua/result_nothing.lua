-- No result.
-- expect: hook E_POLICY must return a number, got nothing
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return
        end
        return 42
    end,
}
