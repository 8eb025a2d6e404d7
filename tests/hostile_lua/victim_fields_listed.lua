-- The fields of a candidate cannot be listed.
-- expect: hook E_POLICY pairs: the fields of candidate cannot be listed
return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            for k, v in pairs(candidate) do
                return v
            end
        end
        return 42
    end,
}
