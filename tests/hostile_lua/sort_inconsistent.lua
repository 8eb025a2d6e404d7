-- A comparison that contradicts itself still ends.
-- expect: hook E_POLICY done
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local t = {}
            for i = 1, 100 do t[i] = i end
            table.sort(t, function() return true end)
            error("done")
        end
        return 42
    end,
}
