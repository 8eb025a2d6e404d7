-- Until a time that is none.
-- expect: hook E_POLICY second value
return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            return { gpu = 1 }, 0 / 0
        end
        return nil
    end,
}
