local function total(of, names)
    local sum = 0
    for _, name in ipairs(names) do sum = sum + of[name] end
    return sum
end
local cache = { n = 0 }
local function same(t) return t end
return {
    api = 1,
    params = { a = 1, b = "x" },
    priority = function(job, queue, now, ...)
        local t = {}
        t[1] = job.priority
        table.append(t, queue.depth)
        log("asked " .. job.name)
        return total(job, { "gpu", "cpu" }) + #t
    end,
    victim = function(job, candidate)
        if job.name == "j3" then same(cache).n = cache.n + 1 end
        return candidate.runtime
    end,
    weight = function(queue) return queue.depth == 0 and 0 or hash(queue.name) % 7 end,
}
