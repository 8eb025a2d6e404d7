-- __metatable as a field.
-- expect: hook E_POLICY math has no '__metatable'
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            return math.__metatable
        end
        return 42
    end,
}
