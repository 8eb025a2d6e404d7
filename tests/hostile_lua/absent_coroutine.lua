-- Nested coroutines overflow the C stack.
-- expect: hook E_POLICY no global 'coroutine'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = coroutine
            return 1
        end
        return 42
    end,
}
