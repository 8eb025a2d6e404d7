-- A loop over all numbers.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            for i = -1e308, 1e308 do
                local x = i
            end
        end
        return 42
    end,
}
