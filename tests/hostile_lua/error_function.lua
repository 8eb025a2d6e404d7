-- An error that is a function.
-- expect: hook E_POLICY (error object is a function)
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            error(function() while true do end end)
        end
        return 42
    end,
}
