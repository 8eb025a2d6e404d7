local sites = { a = { 1, 2 }, b = { 3 } }
local function room(of) return of.cpu_free + of["memory_free"] end
return {
  api = 1, name = "all", pipeline = { "allocate" }, fair_share = "drf", placement = "binpack",
  params = { boost = 2, site = "a", on = true },
  priority = function(job, queue, now)
    local t = {}
    for k, v in pairs(sites) do for _, x in ipairs(v) do table.append(t, k .. x) end end
    table.sort(t, function(a, b) return a > b end)
    return #t + hash(job.name, queue.name) + hour(now, 2) + weekday(now)
  end,
  quota = function(queue, now) return { gpu = queue.gpu_quota, cpu = 3 }, now + 60 end,
  weight = function(queue) return queue.depth + 1 end,
  admit = function(job) return job.interactive, string.format("%5.2f %s %d", 0.5, job.name, 3) end,
  filter = function(job, node) return node.labels.zone == params.site end,
  score = function(job, node) return room(node) + math.exp(node.tasks / 1000) + math.pow(2, 0.5) end,
}
