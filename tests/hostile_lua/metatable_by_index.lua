-- The metatable of a view by its names.
-- expect: hook E_POLICY job has no field '__index'
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return job["__" .. "index"]
        end
        return 42
    end,
}
