-- A queue given away and written.
-- expect: hook E_POLICY cannot be set
local function set(of)
    of.name = "good"
end

return {
    api = 1,
    queue_order = function(queue, now)
        if queue.name == "evil" then
            set(queue)
        end
        return 42
    end,
}
