-- Until for ever.
-- expect: hook E_POLICY second value
return {
    api = 1,
    quota = function(queue, now)
        if queue.name == "evil" then
            return { gpu = 1 }, math.huge
        end
        return nil
    end,
}
