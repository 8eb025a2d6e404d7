-- NaN has many bits.
-- expect: hook E_POLICY hash: argument 1 must be a number that is not NaN
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return hash(0 / 0)
        end
        return 42
    end,
}
