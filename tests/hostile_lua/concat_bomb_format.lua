-- Doubling through format.
-- expect: hook E_POLICY string.format: the result is longer
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local s = "x"
            while true do s = string.format("%s%s", s, s) end
        end
        return 42
    end,
}
