-- Reads past a view.
-- expect: hook E_POLICY no global 'rawget'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = rawget
            return 1
        end
        return 42
    end,
}
