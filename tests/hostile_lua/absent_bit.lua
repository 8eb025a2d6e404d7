-- Not needed, so not there.
-- expect: hook E_POLICY no global 'bit'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = bit
            return 1
        end
        return 42
    end,
}
