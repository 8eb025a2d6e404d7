-- binpack: the node with the fewest idle GPUs goes first.
local test = ...
test.policy("binpack")

test("the node with the fewest idle GPUs", function()
    local c = test.cluster { nodes = { { name = "a", cpu = 8, gpus = 8 }, { name = "b", cpu = 8, gpus = 2 } }, queues = { { name = "q" } } }
    c:submit { { name = "j", tasks = { cpu = 2, gpu = 1 } } }
    test.placed(c:schedule(), "j", "b")
end)

test("whole nodes stay free for large jobs", function()
    local c = test.cluster { nodes = { { name = "n-[0-2]", gpus = 4 } }, queues = { { name = "q" } } }
    c:submit { { name = "small", count = 4, tasks = { gpu = 1 } } }
    test.equal(#c:schedule().decisions, 4)
    c:submit { { name = "large", count = 2, tasks = { gpu = 4 } } }
    local plan = c:schedule()
    test.placed(plan, "large-0")
    test.placed(plan, "large-1")
end)
