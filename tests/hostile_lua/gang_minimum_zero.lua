-- A gang of nobody.
-- expect: hook E_POLICY must return
return {
    api = 1,
    gang_minimum = function(job, queue, now)
        if job.name == "evil" then
            return 0
        end
        return nil
    end,
}
