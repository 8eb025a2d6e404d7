-- A kind with a name of a kilobyte.
-- expect: hook E_POLICY must return
return {
    api = 1,
    quota = function(queue, now)
        if queue.name == "evil" then
            local s = "x"
            for i = 1, 9 do s = s .. s end
            return { [s] = 1 }
        end
        return nil
    end,
}
