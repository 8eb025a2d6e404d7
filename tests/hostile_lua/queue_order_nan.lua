-- An order that compares with nothing.
-- expect: hook E_POLICY must return
return {
    api = 1,
    queue_order = function(queue, now)
        if queue.name == "evil" then
            return 0 / 0
        end
        return 42
    end,
}
