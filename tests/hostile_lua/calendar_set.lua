-- Another calendar for all.
-- expect: hook E_POLICY calendar is read-only
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local c = calendar
            c.hour = function() return 0 end
        end
        return 42
    end,
}
