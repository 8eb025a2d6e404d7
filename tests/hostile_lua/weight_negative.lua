-- Less than no weight.
-- expect: hook E_POLICY must return a number from 0
return {
    api = 1,
    weight = function(queue, now)
        if queue.name == "evil" then
            return -0.5
        end
        return 42
    end,
}
