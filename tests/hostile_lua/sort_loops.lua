-- A comparison that never ends.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            table.sort({ 1, 2 }, function() while true do end end)
        end
        return 42
    end,
}
