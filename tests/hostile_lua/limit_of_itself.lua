-- A table whose amounts are tables.
-- expect: hook E_POLICY must return
return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            local t = {}
            t.gpu = t
            return t
        end
        return nil
    end,
}
