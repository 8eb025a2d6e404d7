-- "Never" is nil.
-- expect: hook E_POLICY must return nil or a number from 0, got infinity
return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            return math.huge
        end
        return 42
    end,
}
