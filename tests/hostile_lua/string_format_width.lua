-- Padding without a bound.
-- expect: hook E_POLICY the width is at most 99
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return string.format("%99999999d", 1)
        end
        return 42
    end,
}
