-- Many parts joined at once.
-- expect: hook E_POLICY a string longer than 1024 bytes
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ""
            for i = 1, 200 do s = s .. "x" end
            local t = s .. s .. s .. s .. s .. s .. s .. s
        end
        return 42
    end,
}
