-- A kilobyte of digits.
-- expect: hook E_POLICY units.memory: expected
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local s = "9"
            for i = 1, 9 do s = s .. s end
            return units.memory(s .. "Gi")
        end
        return 42
    end,
}
