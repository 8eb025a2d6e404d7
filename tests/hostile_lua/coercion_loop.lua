-- Strings as numbers are slow; they are also short.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ""
            for i = 1, 1000 do s = s .. "1" end
            while true do local x = s + 1 end
        end
        return 42
    end,
}
