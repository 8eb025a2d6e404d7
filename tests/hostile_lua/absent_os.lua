-- Processes and the clock.
-- expect: hook E_POLICY no global 'os'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = os
            return 1
        end
        return 42
    end,
}
