-- One action, not in a list.
-- expect: hook E_POLICY must return
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            return "allocate"
        end
        return nil
    end,
}
