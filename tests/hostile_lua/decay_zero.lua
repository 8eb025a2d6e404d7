-- A half-life of nothing.
-- expect: hook E_POLICY decay.rise: expected a half-life
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return decay.rise(1, 0)
        end
        return 42
    end,
}
