-- assert with a table.
-- expect: hook E_POLICY (error object is a table)
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            assert(false, {})
        end
        return 42
    end,
}
