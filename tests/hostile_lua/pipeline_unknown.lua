-- An action that does not exist.
-- expect: cycle E_KEY reclaim
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            return { "allocate", "reclam" }
        end
        return nil
    end,
}
