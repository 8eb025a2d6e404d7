-- A loop that counts with NaN.
-- expect: hook E_POLICY done
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            for i = 1, 10, 0 / 0 do
                error("ran")
            end
            error("done")
        end
        return 42
    end,
}
