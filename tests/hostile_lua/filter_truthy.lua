-- A number is true elsewhere.
-- expect: hook E_POLICY must return true or false
return {
    api = 1,
    filter = function(job, node, now)
        if job.name == "evil" then
            return 1
        end
        return true
    end,
}
