-- Bytecode of a function.
-- expect: hook E_POLICY string has no 'dump'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return string.dump(function() end)
        end
        return 42
    end,
}
