-- NaN as key.
-- expect: hook E_POLICY index is NaN
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local t = {}
            t[0 / 0] = 1
        end
        return 42
    end,
}
