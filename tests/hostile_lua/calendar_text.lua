-- A kilobyte as time of day.
-- expect: hook E_POLICY calendar.next: expected a time of day
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local s = "0"
            for i = 1, 9 do s = s .. s end
            local t = calendar.next(now, s)
        end
        return 42
    end,
}
