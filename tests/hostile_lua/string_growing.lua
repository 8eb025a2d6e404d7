-- A string that grows by one.
-- expect: hook E_POLICY a string longer than 1024 bytes
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ""
            while true do s = s .. "x" end
        end
        return 42
    end,
}
