local speed = { ["A100-80GB"] = 1, ["H100-80GB"] = 3 }

return {
    api = 1,
    score = function(job, node)
        return 10 * speed[node.gpu_model] - node.gpu_free
    end,
}
