-- The same through the metatable that all strings share.
-- expect: hook E_POLICY string has no 'rep'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ("x"):rep(1e9)
        end
        return 42
    end,
}
