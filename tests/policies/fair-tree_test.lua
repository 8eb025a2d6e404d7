-- fair-tree: past use decides between queues, points between jobs.
local test = ...
test.policy("fair-tree", { half_life_days = 1 })

local function cluster(params)
    return test.cluster {
        nodes = { { name = "n", cpu = 4, gpus = 8 } },
        queues = { { name = "heavy", created = "-2d" }, { name = "light", created = "-1d" } },
        policy = params and { name = "fair-tree", params = params },
    }
end

test("who has used less of late goes first, until that has faded", function()
    local c = cluster()
    c:submit { { name = "long", queue = "heavy", tasks = { cpu = 4 } } }
    c:schedule()
    c:advance("10h")
    c:finish("long")
    c:submit { { name = "a", queue = "heavy", tasks = { cpu = 1 } }, { name = "b", queue = "light", tasks = { cpu = 1 } } }
    test.order(c:schedule(), { "b", "a" })
end)

test("a job's points are age, size and priority by their weights", function()
    local c = cluster { weight_size = 500, large_gpus = 4, weight_priority = 10 }
    c:submit { { name = "large", queue = "heavy", tasks = { gpu = 4 } },
        { name = "urgent", queue = "heavy", priority = 60, tasks = { gpu = 1 } },
        { name = "small", queue = "heavy", tasks = { gpu = 1 } } }
    test.order(c:schedule(), { "urgent", "large", "small" })
end)

test("age counts up to max_age_days, size up to large_gpus", function()
    local function first(waited, priority)
        local c = cluster { max_age_days = 2, weight_age = 100, weight_size = 10, large_gpus = 2 }
        c:submit { { name = "runs", queue = "heavy", tasks = { cpu = 4 } } }
        c:schedule()
        c:submit { { name = "old", queue = "heavy", tasks = { cpu = 4 } } }
        c:advance(waited)
        c:submit { { name = "new", queue = "heavy", priority = priority, tasks = { cpu = 4 } } }
        c:finish("runs")
        return c:schedule().waits.old and "new" or "old"
    end
    test.equal(first("24h", 49), "old")
    test.equal(first("24h", 51), "new")
    test.equal(first("48h", 99), "old")
    test.equal(first("480h", 101), "new")
    local c = cluster { weight_size = 10, large_gpus = 2 }
    c:submit { { name = "huge", queue = "heavy", tasks = { gpu = 8 } },
        { name = "larger-than-large", queue = "heavy", priority = 1, tasks = { gpu = 2 } } }
    test.placed(c:schedule(), "larger-than-large")
end)

test("nobody is evicted", function()
    local c = cluster()
    c:submit { { name = "all", queue = "heavy", tasks = { cpu = 4 } } }
    c:schedule()
    c:submit { { name = "b", queue = "light", priority = 9, tasks = { cpu = 4 } } }
    test.not_evicted(c:schedule("40h"))
end)
