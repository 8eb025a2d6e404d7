-- The table of globals.
-- expect: hook E_POLICY no global '_G'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = _G
            return 1
        end
        return 42
    end,
}
