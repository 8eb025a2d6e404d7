-- A number that no one can write.
-- expect: hook E_POLICY units.duration: expected
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return units.duration("99999999999999999999999999h")
        end
        return 42
    end,
}
