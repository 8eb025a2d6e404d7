-- short-slowdown: a job is due in proportion to its run time, and at the latest after the bound.
local test = ...
test.policy("short-slowdown")

local function machine(params)
    return test.cluster {
        nodes = { { name = "n", cpu = 4 } },
        queues = { { name = "q" } },
        policy = params and { name = "short-slowdown", params = params },
    }
end

local function job(name, cpus, duration)
    return { name = name, duration = duration, tasks = { cpu = cpus } }
end

-- Whether a short job that comes `hours` after a long one starts before it.
local function passes(params, hours)
    local c = machine(params)
    c:submit(job("runs", 4, "300h"))
    c:schedule()
    c:submit(job("long", 4, "48h"))
    c:advance(hours .. "h")
    c:submit(job("short", 4, "1m"))
    c:finish("runs")
    return c:schedule().waits.short == nil
end

test("the job that is due first goes first, and priorities do not count", function()
    local c = machine()
    local jobs = { job("unknown", 1), job("week", 1, "7d"), job("hour", 1, "1h"),
        job("minute", 1, "1m") }
    jobs[2].priority = 9
    c:submit(jobs)
    test.order(c:schedule(), { "minute", "hour", "unknown", "week" })
end)

test("short jobs pass a long one until it has waited for the bound", function()
    test.equal(passes(nil, 90), true)
    test.equal(passes(nil, 97), false)
    test.equal(passes({ bound_hours = 12 }, 10), true)
    test.equal(passes({ bound_hours = 12 }, 13), false)
    test.equal(passes({ bound_hours = 0 }, 1), false)
end)

test("the job that is due first has a reservation, and the shortest job the gap", function()
    local c = machine()
    c:submit(job("runs", 2, "2h"))
    c:schedule()
    c:submit { job("wide", 4, "1h"), job("two", 2, "110m"), job("one", 2, "100m"),
        job("long", 2, "200h") }
    local plan = c:schedule()
    test.placed(plan, "one")
    test.waits(plan, "two", "planned")
    test.waits(plan, "long", "planned")
    test.waits(plan, "wide", "planned", "when runs ends")
end)

test("waiting alone makes no cycle due", function()
    local c = machine()
    c:submit(job("runs", 4, "6h"))
    c:schedule()
    c:submit(job("waits", 4, "1h"))
    test.equal(c:schedule().next_wake, c:now() + 6 * 3600)
end)
