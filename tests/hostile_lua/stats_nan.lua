-- A list with a hole in its order.
-- expect: hook E_POLICY stats.median: expected finite numbers
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return stats.median({ 3, 0 / 0, 1 })
        end
        return 42
    end,
}
