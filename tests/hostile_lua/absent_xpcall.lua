-- Catches errors, with a handler that loops.
-- expect: hook E_POLICY no global 'xpcall'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = xpcall
            return 1
        end
        return 42
    end,
}
