-- Never done.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            while true do
            end
        end
        return nil
    end,
}
