-- A table inside of a table of the chunk gets an entry.
-- expect: hook E_POLICY a table of the chunk is read-only
local cache = { inner = {} }

local function keep(of, x)
    of.x = x
end

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            keep(cache.inner, 7)
        end
        return 42
    end,
}
