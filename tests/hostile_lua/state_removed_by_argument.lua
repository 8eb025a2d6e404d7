-- An entry removed, where only the call shows whose it is.
-- expect: hook E_POLICY 'n' in a table of the chunk was changed
local cache = { n = 0 }

local function clear(of)
    of.n = nil
end

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            clear(cache)
        end
        return 42
    end,
}
