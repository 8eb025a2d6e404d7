-- An iterator that never gives nil.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            for _ in function() return 1 end do end
        end
        return 42
    end,
}
