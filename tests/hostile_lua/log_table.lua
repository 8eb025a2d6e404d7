-- What is not a text.
-- expect: hook E_POLICY log: expected one text
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            log({})
        end
        return 42
    end,
}
