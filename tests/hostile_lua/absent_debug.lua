-- Everything.
-- expect: hook E_POLICY no global 'debug'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = debug
            return 1
        end
        return 42
    end,
}
