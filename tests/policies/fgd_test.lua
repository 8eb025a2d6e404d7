-- fgd: what the expected mix of tasks can use stays whole.
local test = ...
test.policy("fgd")

test("parts go to devices that are in pieces already", function()
    local c = test.cluster {
        nodes = { { name = "n-[0-1]", cpu = 16, gpus = { count = 1, share = "fraction" } } },
        queues = { { name = "q" } },
        task_mix = { { count = 3, gpu = 0.5 }, { count = 7, gpu = 1 } },
    }
    c:submit { { name = "half", tasks = { gpu = 0.5 } } }
    c:schedule()
    c:submit { { name = "other-half", tasks = { gpu = 0.5 } } }
    c:schedule()
    c:submit { { name = "whole", tasks = { gpu = 1 } } }
    test.placed(c:schedule(), "whole")
end)
