local rank = { red = 1, blue = 2, trial = 3 }
return {
    api = 1,
    priority = function(job, queue) return rank[queue.name] * 10 end,
    score = function(job, node)
        local n = 0
        for i = 1, job.tasks * 100 do n = n + i % 3 end
        if node.name == "n3" then return 0 / 0 end
        return n + node.gpu_free
    end,
    filter = function(job, node) if job.name == "j4" then while true do end end return true end,
}
