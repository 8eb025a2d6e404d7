-- A number as error.
-- expect: hook E_POLICY 42
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            error(42)
        end
        return 42
    end,
}
