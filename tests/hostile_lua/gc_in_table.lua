-- A finalizer that never runs.
-- expect: hook E_POLICY done
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            for i = 1, 1000 do
                local t = { __gc = function() while true do end end }
            end
            error("done")
        end
        return 42
    end,
}
