-- An action that does not exist.
-- expect: cycle E_POLICY action 'reclam' is not known; did you mean 'reclaim'
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            return { "allocate", "reclam" }
        end
        return nil
    end,
}
