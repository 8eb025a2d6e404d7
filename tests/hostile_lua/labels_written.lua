-- A label set.
-- expect: hook E_POLICY labels is read-only
return {
    api = 1,
    score = function(job, node)
        if job.name == "evil" then
            node.labels.zone = "b"
        end
        return 42
    end,
}
