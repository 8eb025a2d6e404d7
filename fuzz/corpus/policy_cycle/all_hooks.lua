local base = 10
local function share(q) return q.gpu_used / math.max(q.gpu_quota, 1) end
return {
    api = 1, name = "all", fair_share = "quota", order = "priority",
    pipeline = { "evict-overdue", "evict-idle", "allocate", "reclaim", "preempt", "consolidate" },
    params = { age = 0.01, zone = "a", bonus = true },
    eviction = { release_seconds = 5, per_hour = 20, moves_max = 2, victims = "fewest" },
    usage = { half_life = 3600, weight = 0.5 },
    priority = function(job, queue, now)
        local age = job.waiting * params.age
        if queue.name == "red" then return job.priority + age + base end
        return job.priority + age - share(queue)
    end,
    quota = function(queue, now) if hour(now) >= 2 then return { gpu = 6 }, now + 3600 end end,
    limit = function(queue, now) if queue.name == "free" then return { gpu = 3 } end end,
    weight = function(queue, now) return 1 + queue.jobs end,
    admit = function(job, queue, now) return job.gpu < 3 or queue.name ~= "blue", "too large" end,
    filter = function(job, node, now) return job.gpu == 0 or node.labels.zone == params.zone or node.gpu_free > 1 end,
    score = function(job, node, now) return node.gpu_free * 2 - node.cpu_free / 10 + (params.bonus and 1 or 0) end,
    victim = function(job, candidate, now) return candidate.lost + candidate.gpu * 10 end,
    queue_order = function(queue, now) return queue.priority + queue.jobs_pending end,
    time_limit = function(job, queue, now) if queue.name == "red" then return 5000 end end,
    idle = function(job, queue, now) return job.idle > 1800 and job.gpu_utilization < 0.1 end,
    preempt_priority = function(job, queue, now) return job.priority - math.floor(job.runtime / 60) end,
    gang_minimum = function(job, queue, now) if job.waiting > 600 then return 1 end end,
    placement = function(job, queue, now) return job.tasks > 2 and "spread" or "binpack" end,
}
