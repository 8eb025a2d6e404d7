-- first-fit: the first node by name goes first.
local test = ...
test.policy("first-fit")

test("the first node by name", function()
    local c = test.cluster { nodes = { { name = "b", cpu = 8, gpus = 2 }, { name = "a", cpu = 8, gpus = 8 } }, queues = { { name = "q" } } }
    c:submit { { name = "j", tasks = { cpu = 2, gpu = 1 } } }
    test.placed(c:schedule(), "j", "a")
end)

test("the end of the list stays empty", function()
    local c = test.cluster { nodes = { { name = "n-[0-3]", gpus = 2 } }, queues = { { name = "q" } } }
    c:submit { { name = "j", count = 3, tasks = { gpu = 1 } } }
    test.on(c:schedule(), "j-2", "n-1")
    test.equal(c:node("n-3").gpu_free, 2)
end)
