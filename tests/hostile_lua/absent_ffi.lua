-- C from Lua.
-- expect: hook E_POLICY no global 'ffi'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = ffi
            return 1
        end
        return 42
    end,
}
