-- All bytes of a string as values, again and again.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local s = "x"
            for i = 1, 9 do s = s .. s end
            while true do
                local n = select("#", string.byte(s, 1, -1))
            end
        end
        return 42
    end,
}
