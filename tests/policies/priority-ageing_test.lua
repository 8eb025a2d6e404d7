-- priority-ageing: priority plus points for waiting.
local test = ...
test.policy("priority-ageing")

local function cluster(params)
    return test.cluster { nodes = { { name = "n", cpu = 1 } }, queues = { { name = "q" } },
        policy = params and { name = "priority-ageing", params = params } }
end

local function first_of(c, older, younger, hours)
    c:submit { { name = "runs", priority = 1000, tasks = { cpu = 1 } } }
    c:schedule()
    c:submit { { name = "older", priority = older, tasks = { cpu = 1 } } }
    c:advance(hours .. "h")
    c:submit { { name = "younger", priority = younger, tasks = { cpu = 1 } } }
    c:finish("runs")
    local plan = c:schedule()
    return plan.waits.older and "younger" or "older"
end

test("after a day a job has gained points_per_day", function()
    test.equal(first_of(cluster(), 50, 60, 23), "younger")
    test.equal(first_of(cluster(), 50, 60, 25), "older")
end)

test("the rate may be another, or none", function()
    test.equal(first_of(cluster { points_per_day = 100 }, 50, 60, 3), "older")
    test.equal(first_of(cluster { points_per_day = 0 }, 50, 60, 1000), "younger")
end)

test("equal priorities go by submission", function()
    test.equal(first_of(cluster(), 5, 5, 1), "older")
end)
