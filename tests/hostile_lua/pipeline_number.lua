-- Numbers as actions.
-- expect: hook E_POLICY must return
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            return { 1, 2 }
        end
        return nil
    end,
}
