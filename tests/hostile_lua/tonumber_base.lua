-- A base that does not exist.
-- expect: hook E_POLICY base out of range
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return tonumber("10", 99)
        end
        return 42
    end,
}
