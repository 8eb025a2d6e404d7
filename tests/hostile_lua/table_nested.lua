-- Tables in tables.
-- expect: hook E_POLICY holds more memory than its limit
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local t = {}
            while true do t = { t, {}, {}, {} } end
        end
        return 42
    end,
}
