-- Less than nothing.
-- expect: hook E_POLICY must return
return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            return { gpu = -1 }
        end
        return nil
    end,
}
