-- A pattern that backtracks for minutes.
-- expect: hook E_POLICY string has no 'find'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"):find(".-.-.-.-b")
        end
        return 42
    end,
}
