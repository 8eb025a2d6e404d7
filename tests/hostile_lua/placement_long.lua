-- A name that is a kilobyte.
-- expect: hook E_POLICY must return
return {
    api = 1,
    placement = function(job, queue, now)
        if job.name == "evil" then
            local s = "x"
            for i = 1, 9 do s = s .. s end
            return s
        end
        return nil
    end,
}
