-- Too large a number.
-- expect: hook E_POLICY must return a number, got infinity
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return math.huge
        end
        return 42
    end,
}
