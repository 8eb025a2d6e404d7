-- The order of a hash.
-- expect: hook E_POLICY no global 'next'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return next({})
        end
        return 42
    end,
}
