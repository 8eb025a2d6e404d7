-- A queue given away and written.
-- expect: load E_POLICY a queue is read-only
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
