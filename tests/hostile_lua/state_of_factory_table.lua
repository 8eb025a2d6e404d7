-- A table of a function that made the hook.
-- expect: hook E_POLICY 'n' in a table of the chunk was changed
local function make()
    local cache = { n = 0 }
    return function() return cache end
end
local state = make()
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local c = state()
            c.n = c.n + 1
        end
        return 42
    end,
}
