-- two-models-loop: what docs/policy-sandbox.md counts: a score with a loop, which stays in Lua.
return {
    api = 1,
    priority = function(job)
        return job.priority + job.waiting / 3600
    end,
    score = function(job, node)
        local fast = 0
        for _, model in ipairs({ "A100-80GB", "H100-80GB" }) do
            if node.gpu_model == model then fast = 1 end
        end
        return fast * job.gpu - node.gpu_free
    end,
}
