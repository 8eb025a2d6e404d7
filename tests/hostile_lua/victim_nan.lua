-- No number, which is neither more nor less than another.
-- expect: hook E_POLICY must return nil or a number from 0, got NaN
return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            return math.huge - math.huge
        end
        return 42
    end,
}
