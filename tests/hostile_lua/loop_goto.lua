-- A loop made of goto.
-- expect: hook E_BUDGET it was still running after
-- puc51: load E_SYNTAX goto and labels need LuaJIT
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            ::again::
            goto again
        end
        return 42
    end,
}
