-- Files.
-- expect: hook E_POLICY no global 'io'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = io
            return 1
        end
        return 42
    end,
}
