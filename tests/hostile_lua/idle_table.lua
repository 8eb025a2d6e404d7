-- A table is true elsewhere.
-- expect: hook E_POLICY must return
return {
    api = 1,
    idle = function(job, queue, now)
        if job.name == "evil" then
            return { true }
        end
        return false
    end,
}
