-- Replace a method of all strings.
-- expect: hook E_POLICY attempt to index a string value
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            ("").len = function() return 0 end
        end
        return 42
    end,
}
