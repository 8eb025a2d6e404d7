-- Metatables.
-- expect: hook E_POLICY no global 'getmetatable'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = getmetatable
            return 1
        end
        return 42
    end,
}
