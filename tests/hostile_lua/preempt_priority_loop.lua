-- Never done.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    preempt_priority = function(job, queue, now)
        if job.name == "evil" then
            while true do
            end
        end
        return 42
    end,
}
