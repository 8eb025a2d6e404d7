-- two-models: the same policy without the loop: its score is evaluated in C.
return {
    api = 1,
    priority = function(job)
        return job.priority + job.waiting / 3600
    end,
    score = function(job, node)
        local fast = 0
        if node.gpu_model == "A100-80GB" or node.gpu_model == "H100-80GB" then fast = 1 end
        return fast * job.gpu - node.gpu_free
    end,
}
