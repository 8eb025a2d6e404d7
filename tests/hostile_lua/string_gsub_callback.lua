-- gsub calls back from C: recursion through it overflows the C stack.
-- expect: hook E_POLICY string has no 'gsub'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local function f(s) return (s:gsub(".", f)) end
            return f("x")
        end
        return 42
    end,
}
