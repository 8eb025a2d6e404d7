return {
    api = 1,
    score = function(job, node)
        return job.gpu / node.gpu
    end,
}
