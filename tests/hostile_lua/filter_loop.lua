-- Never done.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    filter = function(job, node, now)
        if job.name == "evil" then
            while true do
            end
        end
        return true
    end,
}
