-- Each turn calls a function in C.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            while true do local x = math.exp(1) + string.len("abc") end
        end
        return 42
    end,
}
