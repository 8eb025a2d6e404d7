-- A number as text is a text.
-- expect: hook E_POLICY must return nil or a number from 0, got the string '7'
return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            return "7"
        end
        return 42
    end,
}
