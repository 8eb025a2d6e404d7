-- Half a task.
-- expect: hook E_POLICY must return
return {
    api = 1,
    gang_minimum = function(job, queue, now)
        if job.name == "evil" then
            return 1.5
        end
        return nil
    end,
}
