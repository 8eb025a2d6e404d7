-- The classic: a gigabyte by string.rep.
-- expect: hook E_POLICY string has no 'rep'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = string.rep("x", 1e9)
        end
        return 42
    end,
}
