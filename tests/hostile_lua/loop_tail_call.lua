-- Tail calls need no stack, so only the budget ends them.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local function again() return again() end
            return again()
        end
        return 42
    end,
}
