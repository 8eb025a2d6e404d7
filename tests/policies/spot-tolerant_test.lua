-- spot-tolerant: who may run where, and who prefers what.
local test = ...
test.policy("spot-tolerant")

local function cluster(params)
    return test.cluster {
        nodes = { { name = "firm", cpu = 8, price = 1 },
            { name = "spot", cpu = 8, price = 5, labels = { lifecycle = "spot" } } },
        queues = { { name = "q" } },
        policy = params and { name = "spot-tolerant", params = params },
    }
end

local function where(c, form)
    form.name, form.tasks = "j", { cpu = 1 }
    c:submit { form }
    local plan = c:schedule()
    c:finish("j")
    return test.placed(plan, "j")[1].node
end

test("short work and work with checkpoints prefers spot nodes, whatever the price", function()
    local c = cluster()
    test.equal(where(c, { duration = "2h" }), "spot")
    test.equal(where(c, { duration = "40h", checkpoint = "1h" }), "spot")
    test.equal(where(c, { checkpoint = "10m" }), "spot")
end)

test("what cannot stand it stays on firm nodes", function()
    local c = cluster()
    test.equal(where(c, { duration = "121m" }), "firm")
    test.equal(where(c, { duration = "40h", checkpoint = "61m" }), "firm")
    test.equal(where(c, {}), "firm")
    test.equal(where(c, { duration = "1h", interactive = true }), "firm")
    test.equal(where(c, { duration = "1h", preemptible = false }), "firm")
end)

test("it waits for firm nodes rather than take a spot node", function()
    local c = cluster()
    c:submit { { name = "full", tasks = { cpu = 8 } }, { name = "late", tasks = { cpu = 1 } } }
    local plan = c:schedule()
    test.placed(plan, "full", "firm")
    test.waits(plan, "late", "filter")
end)

test("tolerant work goes to firm nodes when spot nodes are full", function()
    local c = cluster()
    c:submit { { name = "short", count = 9, duration = "1h", tasks = { cpu = 1 } } }
    test.on(c:schedule(), "short-8", "firm")
end)

test("the label and the bonus may be others", function()
    test.equal(where(cluster { spot_bonus = 0 }, { duration = "1h" }), "firm")
    local c = cluster { label = "market", value = "left" }
    test.equal(where(c, { preemptible = false }), "firm")
    c = test.cluster { nodes = { { name = "n", cpu = 1, labels = { market = "left" } } }, queues = { { name = "q" } },
        policy = { name = "spot-tolerant", params = { label = "market", value = "left" } } }
    c:submit { { name = "j", preemptible = false, tasks = { cpu = 1 } } }
    test.waits(c:schedule(), "j", "filter")
end)

test("among nodes of one kind the cheapest, then the fullest", function()
    local c = test.cluster { queues = { { name = "q" } }, nodes = {
        { name = "dear", cpu = 8, gpus = 4, price = 3 },
        { name = "empty", cpu = 8, gpus = 4, price = 2 },
        { name = "gpus-used", cpu = 8, gpus = 4, price = 2 },
        { name = "cpus-used", cpu = 8, price = 2 },
        { name = "plain", cpu = 8, price = 2 } } }
    c:submit { { name = "a", running_on = "gpus-used", running_since = "0s", tasks = { gpu = 1 } },
        { name = "b", running_on = "cpus-used", running_since = "0s", tasks = { cpu = 4 } },
        { name = "j", tasks = { gpu = 1 } }, { name = "k", tasks = { cpu = 1 } } }
    local plan = c:schedule()
    test.placed(plan, "j", "gpus-used")
    test.placed(plan, "k", "cpus-used")
end)
