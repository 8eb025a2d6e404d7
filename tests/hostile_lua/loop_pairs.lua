-- Sorted pairs over a growing table.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local t = {}
            for i = 1, 1e9 do
                t[i % 100] = i
                for _ in pairs(t) do end
            end
        end
        return 42
    end,
}
