-- A condition that is false at once, again and again: the body never runs, so it must not be what pays.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    admit = function(job, queue, now)
        local n = 0
        if job.name == "evil" then
            for i = 1, 200000 do
                while i + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n + n < 0 do
                end
            end
        end
        return true
    end,
}
