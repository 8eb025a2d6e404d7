-- Another loop without an end.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            repeat until false
        end
        return 42
    end,
}
