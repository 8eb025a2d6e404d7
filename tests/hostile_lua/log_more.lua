-- As print would take it.
-- expect: hook E_POLICY log: expected one text
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            log("x", job.name)
        end
        return 42
    end,
}
