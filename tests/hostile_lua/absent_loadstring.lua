-- Likewise.
-- expect: hook E_POLICY no global 'loadstring'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = loadstring
            return 1
        end
        return 42
    end,
}
