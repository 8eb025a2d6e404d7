-- drf: dominant shares become even, and stay.
local test = ...
test.policy("drf")

local function cluster(queues)
    return test.cluster { nodes = { { name = "n", cpu = 72, memory = "144Gi", gpus = 8 } },
        queues = queues or { { name = "first" }, { name = "second" } } }
end

test("dominant shares are equal, as in the paper", function()
    local c = cluster()
    c:submit { { name = "a", queue = "first", count = 40, tasks = { cpu = 8, memory = "32Gi" } },
        { name = "b", queue = "second", count = 40, tasks = { cpu = 24, memory = "8Gi" } } }
    c:schedule()
    test.equal(c:queue("first").memory.used, 96)
    test.equal(c:queue("second").cpu.used, 48)
end)

test("what one has beyond the others is taken back until both are even", function()
    local c = cluster()
    c:submit { { name = "a", queue = "first", count = 8, tasks = { gpu = 1 } } }
    c:schedule()
    c:advance("1h")
    c:submit { { name = "b", queue = "second", count = 8, tasks = { gpu = 1 } } }
    c:schedule() c:schedule("1m")
    test.equal(c:queue("first").gpu.used, 4)
    test.equal(c:queue("second").gpu.used, 4)
    test.equal(#c:schedule("1h").decisions, 0)
end)

test("weights tilt it", function()
    local c = cluster { { name = "first" }, { name = "second", weight = 3 } }
    c:submit { { name = "a", queue = "first", count = 8, tasks = { gpu = 1 } },
        { name = "b", queue = "second", count = 8, tasks = { gpu = 1 } } }
    c:schedule()
    test.equal(c:queue("first").gpu.used, 2)
end)
