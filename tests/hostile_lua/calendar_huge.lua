-- A year beyond all years.
-- expect: hook E_POLICY calendar.year: expected a time
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return calendar.year(1e308)
        end
        return 42
    end,
}
