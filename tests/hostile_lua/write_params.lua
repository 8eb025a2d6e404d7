-- A parameter.
-- expect: hook E_POLICY params is read-only: 'x' cannot be set
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            params.x = 2
        end
        return 42
    end,
}
