-- guaranteed-quota: quotas are sure, what is idle is lent, and lent room comes back.
local test = ...
test.policy("guaranteed-quota")

local function cluster(policy, nodes)
    return test.cluster {
        nodes = nodes or { { name = "n", cpu = 64, gpus = 8 } },
        queues = { { name = "research", quota = { gpu = 4 } }, { name = "product", quota = { gpu = 4 } } },
        policy = policy,
    }
end

local function lend(c)
    c:submit { { name = "r", queue = "research", count = 8, tasks = { gpu = 1 } } }
    c:schedule()
    test.equal(c:queue("research").gpu.used, 8)
end

test("idle quota is lent and taken back for its owner, and not more", function()
    local c = cluster()
    lend(c)
    c:advance("1h")
    c:submit { { name = "p", queue = "product", tasks = { count = 4, gpu = 1 } } }
    c:schedule()
    test.placed(c:schedule("1m"), "p", 4)
    test.equal(c:queue("research").gpu.used, 4)
    test.equal(#c:schedule("1h").decisions, 0)
end)

test("nobody is stopped for a job that would not fit even then", function()
    local c = cluster()
    lend(c)
    c:submit { { name = "p", queue = "product", tasks = { count = 5, gpu = 1 } } }
    test.not_evicted(c:schedule("1h"))
end)

test("non-preemptible work stays, and must fit the quota", function()
    local c = cluster()
    c:submit { { name = "firm", queue = "research", preemptible = false, count = 5, tasks = { gpu = 1 } } }
    test.waits(c:schedule(), "firm-4", "quota")
end)

test("higher priority stops lower one in the same queue", function()
    local c = cluster()
    lend(c)
    c:submit { { name = "urgent", queue = "research", priority = 9, tasks = { gpu = 1 } } }
    local plan = c:schedule("1h")
    test.nominated(plan, "urgent")
    test.equal(plan.decisions[2] and plan.decisions[2].reason or plan.decisions[1].reason, "preempt")
end)

test("work moves together when room is in pieces", function()
    local c = cluster(nil, { { name = "n-[0-1]", cpu = 64, gpus = 4 } })
    c:submit { { name = "a", queue = "research", running_on = "n-0", running_since = "-1h", tasks = { gpu = 1 } },
        { name = "b", queue = "research", running_on = "n-1", running_since = "-2h", tasks = { gpu = 1 } },
        { name = "wide", queue = "product", tasks = { gpu = 4 } } }
    test.moved(c:schedule(), "a", "consolidate")
end)

test("the parameters bound evictions", function()
    local c = cluster { name = "guaranteed-quota", params = { evictions_per_hour = 2 } }
    lend(c)
    c:submit { { name = "p", queue = "product", count = 4, tasks = { gpu = 1 } } }
    c:schedule("1h") c:schedule("1m")
    test.equal(c:queue("product").gpu.used, 2)
end)
