-- Which table is written is chosen while it runs.
-- expect: hook E_POLICY 'n' in a table of the chunk was changed
local cache = { n = 0 }

local function count(of)
    of.n = 1
end

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            count(job.tasks > -1 and cache or {})
        end
        return 42
    end,
}
