-- A loop with an end that nobody lives to see.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            for i = 1, 1e18 do end
        end
        return 42
    end,
}
