-- An entry removed by another name.
-- expect: load E_POLICY functions are pure
local cache = { n = 0 }
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local c = cache
            c.n = nil
        end
        return 42
    end,
}
