-- An entry of a table of the chunk, where only the call shows whose it is.
-- expect: hook E_POLICY 'n' in a table of the chunk was changed
local cache = { n = 0 }

local function count(of)
    of.n = of.n + 1
end

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            count(cache)
        end
        return 42
    end,
}
