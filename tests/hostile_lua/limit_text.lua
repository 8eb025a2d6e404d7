-- A number in a string.
-- expect: hook E_POLICY must return
return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            return { gpu = "64" }
        end
        return nil
    end,
}
