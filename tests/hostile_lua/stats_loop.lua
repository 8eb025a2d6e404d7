-- Sorting in a loop.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local t = {}
            for i = 1, 200 do t[i] = -i end
            while true do
                local m = stats.median(t)
            end
        end
        return 42
    end,
}
