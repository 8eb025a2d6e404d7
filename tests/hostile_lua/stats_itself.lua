-- A list in itself.
-- expect: hook E_POLICY stats.sum: expected finite numbers
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local t = {}
            t[1] = t
            return stats.sum(t)
        end
        return 42
    end,
}
