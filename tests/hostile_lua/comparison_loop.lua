-- Comparing strings is slow; they are also short.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ""
            for i = 1, 1000 do s = s .. "1" end
            local t = s .. "a"
            local u = s .. "b"
            while t < u do end
        end
        return 42
    end,
}
