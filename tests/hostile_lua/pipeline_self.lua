-- A list that holds itself.
-- expect: hook E_POLICY must return
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            local t = { "allocate" }
            t[2] = t
            return t
        end
        return nil
    end,
}
