-- least-peak: busy hours meet quiet hours.
local test = ...
test.policy("least-peak")

local function service(name, cpu, from, to)
    return {
        name = name,
        tasks = { cpu = cpu, demand_period = "24h", demand = { { from = from, cpu = cpu }, { from = to, cpu = 0 } } },
    }
end

local function two_nodes()
    return test.cluster { nodes = { { name = "n-[0-1]", cpu = 10 } }, queues = { { name = "q" } } }
end

test("a service of the night goes beside one of the day", function()
    local c = two_nodes()
    c:submit { service("day", 6, "8h", "18h") }
    test.placed(c:schedule(), "day", "n-0")
    c:submit { { name = "fixed", tasks = { cpu = 6 } } }
    test.placed(c:schedule(), "fixed", "n-1")
    c:submit { service("night", 3, "20h", "23h") }
    test.placed(c:schedule(), "night", "n-0") -- 3 more on n-1, none here
    test.equal(c:node("n-0").cpu_free, 4)
end)

test("of equal rises the fuller node is filled", function()
    local c = two_nodes()
    c:submit { service("day", 6, "8h", "18h") }
    c:schedule()
    c:submit { service("noon", 3, "11h", "13h") }
    test.placed(c:schedule(), "noon", "n-0") -- 3 more on either
end)

test("four services of two shifts need two nodes", function()
    local c = two_nodes()
    c:submit { service("day-0", 10, "8h", "18h"), service("day-1", 10, "8h", "18h"),
               service("night-0", 10, "18h", "23h"), service("night-1", 10, "18h", "23h") }
    local plan = c:schedule()
    for _, name in ipairs { "day-0", "day-1", "night-0", "night-1" } do test.placed(plan, name) end
end)
