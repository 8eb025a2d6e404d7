-- A list without an end.
-- expect: hook E_POLICY holds more memory than its limit
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local t = {}
            for i = 1, 1e9 do t[i] = i end
        end
        return 42
    end,
}
