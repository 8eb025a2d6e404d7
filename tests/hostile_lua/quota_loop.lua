-- Never done.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    quota = function(queue, now)
        if queue.name == "evil" then
            while true do
            end
        end
        return nil
    end,
}
