-- Likewise from a file.
-- expect: hook E_POLICY no global 'dofile'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = dofile
            return 1
        end
        return 42
    end,
}
