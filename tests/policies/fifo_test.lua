-- fifo: strict order of queues, then priority and submission.
local test = ...
test.policy("fifo")

local function cluster(queues)
    return test.cluster { nodes = { { name = "n", cpu = 4 } }, queues = queues }
end

test("jobs go by priority, then by submission", function()
    local c = cluster { { name = "q" } }
    c:submit { { name = "b-second", tasks = { cpu = 1 } } }
    c:advance("1s")
    c:submit { { name = "a-third", tasks = { cpu = 1 } }, { name = "c-first", priority = 1, tasks = { cpu = 1 } } }
    test.order(c:schedule(), { "c-first", "b-second", "a-third" })
end)

test("the older queue goes first, whatever it uses", function()
    local c = cluster { { name = "z-old", created = "-2h" }, { name = "a-new", created = "-1h" } }
    c:submit { { name = "old", queue = "z-old", count = 6, tasks = { cpu = 1 } },
        { name = "new", queue = "a-new", tasks = { cpu = 1 } } }
    local plan = c:schedule()
    test.placed(plan, "old-3")
    test.waits(plan, "new", "room")
end)

test("nobody is evicted", function()
    local c = cluster { { name = "q" } }
    c:submit { { name = "low", tasks = { cpu = 4 } } }
    c:schedule()
    c:submit { { name = "high", priority = 100, tasks = { cpu = 4 } } }
    test.not_evicted(c:schedule("10h"))
end)
