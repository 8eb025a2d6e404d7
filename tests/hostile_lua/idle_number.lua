-- A number for a yes.
-- expect: hook E_POLICY must return
return {
    api = 1,
    idle = function(job, queue, now)
        if job.name == "evil" then
            return 1
        end
        return false
    end,
}
