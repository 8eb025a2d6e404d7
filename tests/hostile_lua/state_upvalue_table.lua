-- A table of the chunk as memory between calls, by another name.
-- expect: load E_POLICY functions are pure
local cache = {}
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local c = cache
            c[job.name] = 1
        end
        return 42
    end,
}
