-- Fewer arguments than letters.
-- expect: hook E_POLICY argument 3 must be given
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return string.format("%s %s", 1)
        end
        return 42
    end,
}
