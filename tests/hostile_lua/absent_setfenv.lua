-- Likewise.
-- expect: hook E_POLICY no global 'setfenv'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = setfenv
            return 1
        end
        return 42
    end,
}
