-- A field is no function.
-- expect: hook E_POLICY attempt to call field 'priority'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return job.priority()
        end
        return 42
    end,
}
