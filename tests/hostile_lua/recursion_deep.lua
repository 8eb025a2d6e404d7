-- Recursion until the stack of Lua is full.
-- expect: hook E_POLICY stack overflow
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local function f(n) return 1 + f(n + 1) end
            return f(1)
        end
        return 42
    end,
}
