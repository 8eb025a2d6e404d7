-- A counter in a table of the chunk.
-- expect: load E_POLICY functions are pure
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
