-- A hook is called as settings, without its arguments.
-- expect: load E_POLICY attempt to index
local function cost(job, candidate)
    return candidate.lost
end

return {
    api = 1,
    eviction = cost,
    victim = cost,
}
