-- More than the job has.
-- expect: hook E_POLICY must return
return {
    api = 1,
    gang_minimum = function(job, queue, now)
        if job.name == "evil" then
            return 1e15
        end
        return nil
    end,
}
