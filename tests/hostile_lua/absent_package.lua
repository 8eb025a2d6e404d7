-- The module system, which lost Redis its sandbox.
-- expect: hook E_POLICY no global 'package'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = package
            return 1
        end
        return 42
    end,
}
