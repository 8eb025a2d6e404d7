-- A cost below nothing: whoever adds it up would look for more to evict.
-- expect: hook E_POLICY must return nil or a number from 0, got a negative one
return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            return -1e308
        end
        return 42
    end,
}
