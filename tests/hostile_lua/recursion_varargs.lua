-- Every call has one argument more.
-- expect: hook E_POLICY stack overflow
-- puc51: hook E_POLICY holds more memory than its limit
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local function f(...) return 1 + f(1, ...) end
            return f(1)
        end
        return 42
    end,
}
