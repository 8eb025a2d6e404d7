-- A library.
-- expect: hook E_POLICY math is read-only: 'pi' cannot be set
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            math.pi = 3
        end
        return 42
    end,
}
