-- Metatables of its own, with __index that loops.
-- expect: hook E_POLICY no global 'setmetatable'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = setmetatable
            return 1
        end
        return 42
    end,
}
