-- A library in a loop.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local t = now
            while true do
                local next = calendar.next(t, "08:00")
            end
        end
        return 42
    end,
}
