-- A value without end.
-- expect: hook E_POLICY decay.half_life: expected a value
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return decay.half_life(1 / 0, 1, 1)
        end
        return 42
    end,
}
