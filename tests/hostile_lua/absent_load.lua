-- Compiles text, also bytecode.
-- expect: hook E_POLICY no global 'load'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = load
            return 1
        end
        return 42
    end,
}
