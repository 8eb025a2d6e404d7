-- spread: the emptiest node goes first.
local test = ...
test.policy("spread")

test("the emptiest node", function()
    local c = test.cluster { nodes = { { name = "a", cpu = 8, gpus = 2 }, { name = "b", cpu = 8, gpus = 8 } }, queues = { { name = "q" } } }
    c:submit { { name = "j", tasks = { cpu = 2, gpu = 1 } } }
    test.placed(c:schedule(), "j", "b")
end)

test("tasks share nodes with as few others as possible", function()
    local c = test.cluster { nodes = { { name = "n-[0-3]", gpus = 4 } }, queues = { { name = "q" } } }
    c:submit { { name = "j", count = 4, tasks = { gpu = 1 } } }
    c:schedule()
    for i = 0, 3 do test.equal(c:node("n-" .. i).gpu_free, 3) end
end)
