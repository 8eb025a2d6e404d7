-- A candidate that is made cheaper for whoever looks next.
-- expect: load E_POLICY a candidate is read-only
return {
    api = 1,
    victim = function(job, candidate)
        candidate.lost = 0
        return 42
    end,
}
