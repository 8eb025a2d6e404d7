local function waste(of) return of.lost + of["restart"] end
return {
  api = 1, pipeline = { "allocate", "reclaim" }, fair_share = "quota",
  params = { days = 7, spared = "vip", most = 3 },
  eviction = { release_seconds = 30, grace_seconds = 120, per_hour = 60, moves_max = 16,
    protection = "divergence", victims = "fewest", saturation = 1.5,
    preemption_delay_seconds = 0, stale_grace_seconds = 60 },
  usage = function() return { half_life = params.days * 86400, window = 0, weight = 0.5 } end,
  victim = function(job, candidate, now)
    if candidate.queue == params.spared or candidate.disruptions >= params.most then return nil end
    if not candidate.whole then return 0 end
    return candidate.gpu * waste(candidate) + (job.priority > candidate.priority and 0 or hour(now))
  end,
}
