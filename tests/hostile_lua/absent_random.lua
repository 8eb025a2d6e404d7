-- State that is shared, and numbers that cannot be repeated.
-- expect: hook E_POLICY math has no 'random'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return math.random()
        end
        return 42
    end,
}
