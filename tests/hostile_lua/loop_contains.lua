-- Searching is work that instructions do not show; it is charged.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local s = ""
            for i = 1, 1000 do s = s .. "a" end
            local p = string.sub(s, 1, 500) .. "b"
            while true do local x = string.contains(s, p) end
        end
        return 42
    end,
}
