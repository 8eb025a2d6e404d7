-- The compiler, which no hook can stop.
-- expect: hook E_POLICY no global 'jit'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = jit
            return 1
        end
        return 42
    end,
}
