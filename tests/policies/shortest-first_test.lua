-- shortest-first: the estimate decides, and waiting counts a little.
local test = ...
test.policy("shortest-first")

local function cluster(cpus, params)
    return test.cluster { nodes = { { name = "n", cpu = cpus } }, queues = { { name = "q" } },
        policy = params and { name = "shortest-first", params = params } }
end

test("short jobs go first, unknown ones count as a day, priorities do not count", function()
    local c = cluster(4)
    c:submit { { name = "unknown", tasks = { cpu = 1 } },
        { name = "week", priority = 9, duration = "7d", tasks = { cpu = 1 } },
        { name = "hour", duration = "1h", tasks = { cpu = 1 } },
        { name = "minute", duration = "1m", tasks = { cpu = 1 } } }
    test.order(c:schedule(), { "minute", "hour", "unknown", "week" })
end)

local function passes(params, hours)
    local c = cluster(1, params)
    c:submit { { name = "runs", duration = "1m", tasks = { cpu = 1 } } }
    c:schedule()
    c:submit { { name = "long", duration = "10h", tasks = { cpu = 1 } } }
    c:advance(hours .. "h")
    c:submit { { name = "short", duration = "1h", tasks = { cpu = 1 } } }
    c:finish("runs")
    return c:schedule().waits.short ~= nil
end

test("a long job that has waited passes short ones some day", function()
    test.equal(passes(nil, 80), false)
    test.equal(passes(nil, 100), true)
    test.equal(passes({ patience = 0 }, 1000), false)
end)
