-- A thousand lines each call: dropped and paid for.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            while true do log("x") end
        end
        return 42
    end,
}
