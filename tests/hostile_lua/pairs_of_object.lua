-- The fields of a job have no list.
-- expect: hook E_POLICY the fields of job cannot be listed
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            for k, v in pairs(job) do end
        end
        return 42
    end,
}
