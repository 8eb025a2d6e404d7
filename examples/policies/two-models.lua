-- two-models: a score with a loop, for docs/policy-sandbox.md.
return {
    api = 1,
    params = { points_per_day = 10 },
    priority = function(job)
        return job.priority + params.points_per_day * job.waiting / 86400
    end,
    score = function(job, node)
        local same = 0
        for _, model in ipairs({ "A100-80GB", "H100-80GB" }) do
            if node.gpu_model == model then same = 1 end
        end
        return same * job.gpu - node.gpu_free
    end,
}
