-- Keys whose only order is their address.
-- expect: hook E_POLICY pairs: a key is a table
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            for k in pairs({ [{}] = 1 }) do end
        end
        return 42
    end,
}
