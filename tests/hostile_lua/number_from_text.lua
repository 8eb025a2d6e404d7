-- A number too long to be one.
-- expect: hook E_POLICY must return a number, got infinity
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return tonumber("1e999")
        end
        return 42
    end,
}
