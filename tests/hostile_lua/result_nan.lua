-- No number.
-- expect: hook E_POLICY must return a number, got NaN
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return 0 / 0
        end
        return 42
    end,
}
