-- An error longer than any record.
-- expect: hook E_POLICY xxxx
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ""
            for i = 1, 1000 do s = s .. "x" end
            error(s)
        end
        return 42
    end,
}
