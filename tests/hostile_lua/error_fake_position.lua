-- An error that claims to be elsewhere.
-- expect: hook E_POLICY policy:99: fake
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            error("policy:99: fake")
        end
        return 42
    end,
}
