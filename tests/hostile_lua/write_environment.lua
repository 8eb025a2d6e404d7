-- A function of the environment.
-- expect: load E_POLICY assignment to global 'assert'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            assert = nil
        end
        return 42
    end,
}
