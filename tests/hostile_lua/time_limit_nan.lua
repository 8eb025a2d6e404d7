-- A limit that is never reached nor not.
-- expect: hook E_POLICY must return
return {
    api = 1,
    time_limit = function(job, queue, now)
        if job.name == "evil" then
            return 0 / 0
        end
        return 42
    end,
}
