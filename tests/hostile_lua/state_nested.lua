-- A table inside a table of the chunk.
-- expect: load E_POLICY functions are pure
local cache = { inner = {} }
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local c = cache
            local d = c.inner
            d.x = 1
        end
        return 42
    end,
}
