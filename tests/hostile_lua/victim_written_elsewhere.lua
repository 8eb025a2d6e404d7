-- The same through another name.
-- expect: load E_POLICY a candidate is read-only
local function forget(of)
    of.lost = 0
end

return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            forget(candidate)
        end
        return 42
    end,
}
