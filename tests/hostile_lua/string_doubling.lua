-- A string that doubles.
-- expect: hook E_POLICY a string longer than 1024 bytes
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = "x"
            while true do s = s .. s end
        end
        return 42
    end,
}
