-- Control of the collector.
-- expect: hook E_POLICY no global 'collectgarbage'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local x = collectgarbage
            return 1
        end
        return 42
    end,
}
