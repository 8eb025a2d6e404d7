-- An entry of a table of the chunk, by another name.
-- expect: load E_POLICY functions are pure
local cache = { n = 0 }
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local c = cache
            c.n = c.n + 1
        end
        return 42
    end,
}
