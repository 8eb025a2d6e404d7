-- More actions than there can be.
-- expect: hook E_POLICY must return
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            local t = {}
            for i = 1, 1000 do t[i] = "allocate" end
            return t
        end
        return nil
    end,
}
