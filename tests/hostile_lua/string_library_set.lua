-- Replace a function of the library.
-- expect: hook E_POLICY string is read-only: 'len' cannot be set
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            string.len = function() return 0 end
        end
        return 42
    end,
}
