-- Numbers join as well.
-- expect: hook E_POLICY a string longer than 1024 bytes
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = 1
            while true do x = x .. 1 end
        end
        return 42
    end,
}
