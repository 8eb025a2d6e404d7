-- A counter between calls.
-- expect: load E_POLICY functions are pure: 'n' belongs to the chunk
local n = 0
return {
    api = 1,
    priority = function(job)
        n = n + 1
        return n
    end,
}
