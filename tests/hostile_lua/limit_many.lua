-- More kinds than there can be.
-- expect: hook E_POLICY must return at most 16 kinds
return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            local t = {}
            for i = 1, 1000 do t["k" .. i] = i end
            return t
        end
        return nil
    end,
}
