-- Userdata with __gc.
-- expect: hook E_POLICY no global 'newproxy'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = newproxy
            return 1
        end
        return 42
    end,
}
