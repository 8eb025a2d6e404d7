-- A name with control bytes.
-- expect: hook E_POLICY must return
return {
    api = 1,
    placement = function(job, queue, now)
        if job.name == "evil" then
            return "bin\27[2Jpack\0"
        end
        return nil
    end,
}
