-- best-fit: the node that is left with least goes first.
local test = ...
test.policy("best-fit")

test("the node that is left with least", function()
    local c = test.cluster { nodes = { { name = "a", cpu = 16, gpus = 8 }, { name = "b", cpu = 8, gpus = 8 } }, queues = { { name = "q" } } }
    c:submit { { name = "j", tasks = { cpu = 2, gpu = 1 } } }
    test.placed(c:schedule(), "j", "b")
end)

test("a part of a GPU goes to the fullest device that can hold it", function()
    local c = test.cluster { nodes = { { name = "n", cpu = 8, gpus = { count = 2, share = "fraction" } } },
        queues = { { name = "q" } } }
    c:submit { { name = "j", count = 2, tasks = { gpu = 0.5 } } }
    c:schedule()
    c:submit { { name = "whole", tasks = { gpu = 1 } } }
    test.placed(c:schedule(), "whole")
end)
