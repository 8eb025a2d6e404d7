-- Not a number as a rank.
-- expect: hook E_POLICY must return
return {
    api = 1,
    preempt_priority = function(job, queue, now)
        if job.name == "evil" then
            return 0 / 0
        end
        return 42
    end,
}
