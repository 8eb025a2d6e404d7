-- build-train: desks keep their place, training fills the rest, and the rules are told at the door.
local test = ...
test.policy("build-train", { build_gpus = 2, build_hours = 12 })

local function cluster(policy)
    return test.cluster {
        policy = policy,
        nodes = { { name = "n", cpu = 64, gpus = 8 } },
        queues = { { name = "vision", quota = { gpu = 8 }, children = {
            { name = "desks", quota = { gpu = 4 }, limit = { gpu = 4 } },
            { name = "training", quota = { gpu = 4 } } } } },
    }
end

local function desk(name, more)
    local form = { name = name, queue = "desks", interactive = true, preemptible = false, duration = "8h",
        tasks = { gpu = 1 } }
    for key, value in pairs(more or {}) do form[key] = value end
    return form
end

test("who submits the wrong way is told what to change", function()
    local c = cluster()
    c:submit { desk("fine"), desk("soft", { preemptible = true }), desk("wide", { tasks = { gpu = 3 } }),
        desk("long", { duration = "13h" }),
        { name = "firm", queue = "training", preemptible = false, tasks = { gpu = 1 } },
        desk("over", { tasks = { gpu = 5 } }) }
    local plan = c:schedule()
    test.placed(plan, "fine")
    test.waits(plan, "soft", "admit", "submit it as non-preemptible")
    test.waits(plan, "wide", "admit", "interactive jobs have at most 2 GPUs")
    test.waits(plan, "long", "admit", "within 12 hours")
    test.waits(plan, "firm", "admit", "submit it as preemptible")
    test.waits(plan, "over", "admit", "it asks for 5 GPUs, the quota of 'desks' is 4")
end)

test("training lends the desks' room and gives it back", function()
    local c = cluster()
    c:submit { { name = "train", queue = "training", count = 8, checkpoint = "30m", tasks = { gpu = 1 } } }
    c:schedule()
    test.equal(c:queue("training").gpu.used, 8)
    c:advance("1h")
    c:submit { desk("d", { count = 4 }) }
    c:schedule() c:schedule("1m")
    test.equal(c:queue("desks").gpu.used, 4)
    test.equal(c:queue("training").gpu.used, 4)
    test.not_evicted(c:schedule("5h"))
end)

test("with safe_training it may be non-preemptible, within the quota, and needs no estimate", function()
    local c = cluster { name = "build-train", params = { safe_training = true, build_gpus = 1, build_hours = 1 } }
    c:submit { { name = "firm", queue = "training", preemptible = false, tasks = { gpu = 4 } },
        { name = "wide", queue = "training", preemptible = false, tasks = { gpu = 5 } } }
    local plan = c:schedule()
    test.placed(plan, "firm")
    test.waits(plan, "wide", "admit", "the quota of 'training' is 4")
end)
