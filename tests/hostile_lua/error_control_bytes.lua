-- An error that would spoil a log.
-- expect: hook E_POLICY a b
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            error("a\nb\27[2J")
        end
        return 42
    end,
}
