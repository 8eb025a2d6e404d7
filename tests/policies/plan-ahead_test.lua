-- plan-ahead: a wide job has its time, and what is short runs before it.
local test = ...
test.policy("plan-ahead")

local function job(name, gpus, duration)
    return { name = name, duration = duration, tasks = { gpu = gpus } }
end

local function machine(params)
    return test.cluster {
        nodes = { { name = "n", cpu = 8, gpus = 4 } },
        queues = { { name = "q" } },
        policy = params and { name = "plan-ahead", params = params },
    }
end

test("short work fills the gap before a wide job, long work does not", function()
    local c = machine()
    c:submit(job("first", 3, "2h"))
    test.placed(c:schedule(), "first", "n")
    c:submit(job("wide", 4, "1h"))
    test.waits(c:schedule(), "wide", "planned", "when first ends")
    c:advance("1m")
    c:submit { job("long", 1, "3h"), job("short", 1, "90m") }
    local plan = c:schedule()
    test.placed(plan, "short", "n")
    test.waits(plan, "long", "planned")
end)

test("a window of one job still plans them all", function()
    local c = machine { ts_window = 1 }
    c:submit(job("first", 3, "2h"))
    c:schedule()
    c:submit { job("second", 1, "1h") }
    test.placed(c:schedule(), "second", "n")
end)
