-- Two functions that call each other.
-- expect: hook E_POLICY stack overflow
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local g
            local function f(n) return 1 + g(n) end
            g = function(n) return 1 + f(n) end
            return f(1)
        end
        return 42
    end,
}
