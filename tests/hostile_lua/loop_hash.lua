-- Hashing is charged too.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            while true do local x = hash(job.name, 1, true) end
        end
        return 42
    end,
}
