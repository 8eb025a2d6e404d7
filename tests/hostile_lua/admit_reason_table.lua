-- A reason that is a table.
-- expect: hook E_POLICY must return a string
return {
    api = 1,
    admit = function(job, queue, now)
        if job.name == "evil" then
            return false, {}
        end
        return true
    end,
}
