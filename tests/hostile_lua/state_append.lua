-- The same with table.append.
-- expect: hook E_POLICY expected a table that this call made
local cache = {}
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            table.append(cache, 1)
        end
        return 42
    end,
}
