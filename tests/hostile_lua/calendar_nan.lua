-- No time.
-- expect: hook E_POLICY calendar.next: expected a time
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local t = calendar.next(0 / 0, "08:00")
        end
        return 42
    end,
}
