-- The labels listed.
-- expect: hook E_POLICY cannot be listed
return {
    api = 1,
    score = function(job, node)
        if job.name == "evil" then
            for k in pairs(node.labels) do end
        end
        return 42
    end,
}
