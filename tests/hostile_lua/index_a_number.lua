-- A number has no fields.
-- expect: hook E_POLICY attempt to index field 'priority'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return job.priority.x
        end
        return 42
    end,
}
