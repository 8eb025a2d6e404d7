-- No limit at all: not a number.
-- expect: hook E_POLICY must return
return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            return { gpu = 0 / 0 }
        end
        return nil
    end,
}
