-- cost-energy: the cheapest way to run a job, idle nodes counted whole.
local test = ...
test.policy("cost-energy")

local function cluster(nodes, params)
    return test.cluster { nodes = nodes, queues = { { name = "q" } },
        policy = params and { name = "cost-energy", params = params } }
end

test("of nodes in use the one whose part costs less", function()
    local c = cluster({ { name = "large", gpus = 8, price = 24 }, { name = "small", gpus = 4, price = 10 } })
    c:submit { { name = "a", running_on = "large", running_since = "0s", tasks = { gpu = 1 } },
        { name = "b", running_on = "small", running_since = "0s", tasks = { gpu = 1 } } }
    c:submit { { name = "j", tasks = { gpu = 1 } } }
    test.placed(c:schedule(), "j", "small")
end)

test("a sleeping node is woken only when nothing else is left", function()
    local c = cluster({ { name = "asleep", gpus = 4, price = 1.5 }, { name = "awake", gpus = 4, price = 4 } })
    c:submit { { name = "a", running_on = "awake", running_since = "0s", tasks = { gpu = 1 } },
        { name = "first", tasks = { gpu = 1 } } }
    test.placed(c:schedule(), "first", "awake")
    c:submit { { name = "wide", tasks = { gpu = 4 } } }
    test.placed(c:schedule(), "wide", "asleep")
end)

test("with idle_part = 0 only the part counts", function()
    local c = cluster({ { name = "asleep", gpus = 4, price = 2 }, { name = "awake", gpus = 4, price = 4 } },
        { idle_part = 0 })
    c:submit { { name = "a", running_on = "awake", running_since = "0s", tasks = { gpu = 1 } },
        { name = "first", tasks = { gpu = 1 } } }
    test.placed(c:schedule(), "first", "asleep")
end)

test("power is money", function()
    local nodes = { { name = "hot", cpu = 4, price = 1, power = "8kW" },
        { name = "cool", cpu = 4, price = 2, power = "1kW" } }
    for price, node in pairs({ [0.1] = "hot", [0.2] = "cool" }) do
        local c = cluster(nodes, { price_per_kwh = price })
        c:submit { { name = "j", tasks = { cpu = 1 } } }
        test.placed(c:schedule(), "j", node)
    end
end)

test("work without GPUs leaves dear GPU nodes alone", function()
    local c = cluster({ { name = "gpu", cpu = 16, gpus = 8, price = 20 }, { name = "plain", cpu = 16, price = 1 } })
    c:submit { { name = "a", running_on = "gpu", running_since = "0s", tasks = { gpu = 1 } },
        { name = "j", tasks = { cpu = 2 } } }
    test.placed(c:schedule(), "j", "plain")
end)

test("among nodes without price the fullest", function()
    local c = cluster({ { name = "empty", gpus = 4 }, { name = "used", gpus = 4 } })
    c:submit { { name = "a", running_on = "used", running_since = "0s", tasks = { gpu = 2 } },
        { name = "j", tasks = { gpu = 1 } } }
    test.placed(c:schedule(), "j", "used")
end)
