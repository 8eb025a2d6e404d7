-- A list with one element at the end of all numbers.
-- expect: hook E_POLICY done
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            local t = {}
            t[9007199254740992] = 1
            t[-9007199254740992] = 1
            t[1e308] = 1
            local n = 0
            for k in pairs(t) do n = n + 1 end
            error(n == 3 and "done" or "lost")
        end
        return 42
    end,
}
