-- A result that is too long.
-- expect: hook E_POLICY string.format: the result is longer
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ""
            for i = 1, 600 do s = s .. "x" end
            return string.format("%s%s", s, s)
        end
        return 42
    end,
}
