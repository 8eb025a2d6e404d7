-- Modules.
-- expect: hook E_POLICY no global 'require'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = require
            return 1
        end
        return 42
    end,
}
