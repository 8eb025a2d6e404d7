-- A list of the chunk is sorted in place.
-- expect: hook E_POLICY expected a table that this call made
local list = { 3, 1, 2 }

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            table.sort(list)
        end
        return 42
    end,
}
