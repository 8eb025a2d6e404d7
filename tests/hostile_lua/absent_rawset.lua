-- Writes past a read-only view.
-- expect: hook E_POLICY no global 'rawset'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = rawset
            return 1
        end
        return 42
    end,
}
