-- A million labels of a node.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    score = function(job, node)
        if job.name == "evil" then
            for i = 1, 1e9 do
                local x = node.labels[i .. ""]
            end
        end
        return 42
    end,
}
