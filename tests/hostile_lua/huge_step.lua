-- A loop whose step is too small to move.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            for i = 1e300, 1e301, 1 do
                local x = i
            end
        end
        return 42
    end,
}
