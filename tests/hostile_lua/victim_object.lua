-- The candidate itself as its cost.
-- expect: hook E_POLICY must return nil or a number from 0, got a table
return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            return candidate
        end
        return 42
    end,
}
