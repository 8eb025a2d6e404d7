return {
    api = 1,
    priority = function(job)
        for k, v in pairs({ [job] = 1, [true] = 2, [hour] = 3, x = 4 }) do return v end
    end,
}
