-- A call with very many arguments.
-- expect: hook E_POLICY stack overflow
-- puc51: hook E_POLICY holds more memory than its limit
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local function f(...) return f(..., ...) end
            local function g(...) return g(1, 2, 3, ...) end
            return 1 + g()
        end
        return 42
    end,
}
