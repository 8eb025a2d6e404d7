return {
    api = 1,
    score = function(job, node)
        local spare = node.gpu_free - job.gpu
        if spare > 6 then
            return -spare
        end
    end,
}
