-- A number as name.
-- expect: hook E_POLICY must return
return {
    api = 1,
    placement = function(job, queue, now)
        if job.name == "evil" then
            return 7
        end
        return nil
    end,
}
