-- An address as a number.
-- expect: hook E_POLICY hash: argument 1 must be a string
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return hash({})
        end
        return 42
    end,
}
