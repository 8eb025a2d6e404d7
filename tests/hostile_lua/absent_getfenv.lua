-- The environment of a function.
-- expect: hook E_POLICY no global 'getfenv'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = getfenv
            return 1
        end
        return 42
    end,
}
