-- A counter that a limit rests on.
-- expect: hook E_POLICY 'n' in a table of the chunk was changed
local seen = { n = 0 }

local function count(of)
    of.n = of.n + 1
end

return {
    api = 1,
    limit = function(queue, now)
        if queue.name == "evil" then
            count(seen)
        end
        return nil
    end,
}
