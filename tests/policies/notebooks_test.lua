-- notebooks: idle and overdue interactive work ends, other work does not.
local test = ...
test.policy("notebooks")

local function cluster(params)
    return test.cluster {
        nodes = { { name = "n", cpu = 32, gpus = 8 } },
        queues = { { name = "q", quota = { gpu = 8 } } },
        policy = params and { name = "notebooks", params = params },
    }
end

local function desk(name, more)
    local form = { name = name, interactive = true, preemptible = false, tasks = { gpu = 1 } }
    for key, value in pairs(more or {}) do form[key] = value end
    return form
end

-- Time goes by, with reports of that use of one GPU by the jobs.
local function work(c, hours, use)
    for _ = 1, hours * 4 do
        c:advance("15m")
        local samples = {}
        for job, gpu in pairs(use) do samples[#samples + 1] = { task = job .. "/0", gpu = gpu } end
        table.sort(samples, function(a, b) return a.task < b.task end)
        c:usage(samples)
    end
end

test("a notebook that leaves its GPU idle is stopped and held", function()
    local c = cluster()
    c:submit { desk("busy"), desk("idle") }
    c:schedule()
    work(c, 1.5, { busy = 0.4, idle = 0 })
    test.not_evicted(c:schedule())
    work(c, 0.5, { busy = 0.4, idle = 0 })
    local plan = c:schedule()
    test.evicted(plan, "idle", "idle")
    test.not_evicted(plan, "busy")
    test.equal(c:job("idle").running, 0)
    test.not_placed(c:schedule("2m"), "idle")
end)

test("its owner gets it back by asking", function()
    local c = cluster()
    c:submit { desk("idle") }
    c:schedule()
    work(c, 2, { idle = 0 })
    test.evicted(c:schedule(), "idle", "idle")
    c:schedule("2m")
    c:priority { idle = 1 }
    test.placed(c:schedule("1m"), "idle")
end)

test("what never reports its use counts as busy", function()
    local c = cluster()
    c:submit { desk("silent") }
    c:schedule()
    test.not_evicted(c:schedule("11h"))
end)

test("a session ends after session_hours, and sooner if the job says so", function()
    local c = cluster()
    c:submit { desk("long"), desk("short", { time_limit = "3h" }) }
    c:schedule()
    test.not_evicted(c:schedule("2h59m"))
    test.evicted(c:schedule("2m"), "short", "time-limit")
    test.not_evicted(c:schedule("8h"), "long")
    test.evicted(c:schedule("1h"), "long", "time-limit")
end)

test("batch work may be idle, and has the limit of batch_hours", function()
    local c = cluster()
    c:submit { { name = "train", tasks = { gpu = 1 } } }
    c:schedule()
    work(c, 4, { train = 0 })
    test.not_evicted(c:schedule("20h"))
    c = cluster { batch_hours = 24 }
    c:submit { { name = "train", tasks = { gpu = 1 } } }
    c:schedule()
    test.not_evicted(c:schedule("23h"))
    test.evicted(c:schedule("1h1m"), "train", "time-limit")
end)

test("a desk of more than session_gpus is told so", function()
    local c = cluster()
    c:submit { desk("greedy", { tasks = { gpu = 3 } }), desk("modest", { tasks = { gpu = 2 } }) }
    local plan = c:schedule()
    test.waits(plan, "greedy", "admit", "interactive jobs have up to 2 GPUs")
    test.placed(plan, "modest")
end)

test("0 switches each rule off", function()
    local c = cluster { idle_hours = 0, session_hours = 0, session_gpus = 0 }
    c:submit { desk("free", { tasks = { gpu = 8 } }) }
    c:schedule()
    work(c, 4, { free = 0 })
    test.not_evicted(c:schedule("500h"))
end)
