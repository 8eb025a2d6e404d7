-- An error that is nothing.
-- expect: hook E_POLICY (error object is a nil)
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            error(nil)
        end
        return 42
    end,
}
