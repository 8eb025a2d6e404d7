-- A letter that formats an address elsewhere.
-- expect: hook E_POLICY is not one of
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return string.format("%p", {})
        end
        return 42
    end,
}
