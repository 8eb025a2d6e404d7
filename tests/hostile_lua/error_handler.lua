-- xpcall with a handler that loops: it is not there.
-- expect: hook E_POLICY no global 'xpcall'
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            xpcall(error, function() while true do end end)
        end
        return 42
    end,
}
