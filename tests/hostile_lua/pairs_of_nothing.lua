-- pairs of nil.
-- expect: hook E_POLICY pairs: expected a table, got nothing
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            for k in pairs(nil) do end
        end
        return 42
    end,
}
