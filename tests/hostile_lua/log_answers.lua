-- log gives nothing that an answer could rest on.
-- expect: hook E_POLICY must return a number
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return log("x")
        end
        return 42
    end,
}
