-- A number in a string is a string.
-- expect: hook E_POLICY must return a number, got the string '42'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return "42"
        end
        return 42
    end,
}
