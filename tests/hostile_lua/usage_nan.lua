-- Nothing of nothing.
-- expect: hook E_POLICY usage.ratio: expected the amount used
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return usage.ratio(0 / 0, 1)
        end
        return 42
    end,
}
