-- A method of a number.
-- expect: hook E_POLICY attempt to index
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local n = 1
            return n:floor()
        end
        return 42
    end,
}
