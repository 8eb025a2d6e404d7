-- Two calls each: 2^60 of them, none deep.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local function f(n)
                if n == 0 then return 0 end
                return f(n - 1) + f(n - 1)
            end
            return f(60)
        end
        return 42
    end,
}
