-- A counter in a table of the chunk.
-- expect: hook E_POLICY was changed
local seen = { n = 0 }

return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            local s = seen
            s.n = s.n + 1
        end
        return nil
    end,
}
