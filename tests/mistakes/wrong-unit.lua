return {
    api = 1,
    fair_share = "quota",
    quota = function(queue)
        return { memory = 64 * 1024 * 1024 * 1024 }
    end,
}
