-- A table.
-- expect: hook E_POLICY must return a number, got a table
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return { 42 }
        end
        return 42
    end,
}
