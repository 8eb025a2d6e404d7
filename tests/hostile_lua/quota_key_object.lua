-- A kind that is an object.
-- expect: hook E_POLICY must return
return {
    api = 1,
    quota = function(queue, now)
        if queue.name == "evil" then
            return { [queue] = 1 }
        end
        return nil
    end,
}
