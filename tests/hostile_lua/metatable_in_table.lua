-- A table cannot be given a metatable by its keys.
-- expect: hook E_POLICY attempt to call
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local t = { __call = function() return 42 end }
            return t()
        end
        return 42
    end,
}
