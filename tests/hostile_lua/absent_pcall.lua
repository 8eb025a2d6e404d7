-- Catches the errors that are meant to end the call.
-- expect: hook E_POLICY no global 'pcall'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            while true do pcall(error) end
        end
        return 42
    end,
}
