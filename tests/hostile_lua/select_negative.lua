-- select before the begin.
-- expect: hook E_POLICY index out of range
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return select(-1e9, 1)
        end
        return 42
    end,
}
