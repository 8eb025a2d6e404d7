-- A loop without an end.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            while true do end
        end
        return 42
    end,
}
