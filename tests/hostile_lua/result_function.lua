-- A function.
-- expect: hook E_POLICY must return a number, got a function
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return function() return 42 end
        end
        return 42
    end,
}
