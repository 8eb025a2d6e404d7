local test = ...
test.policy "short-first.lua"

local function two_gpus()
    return test.cluster { nodes = { { name = "n", gpus = 2, cpu = 8 } }, queues = { { name = "q" } } }
end

test("a short job goes first", function()
    local c = two_gpus()
    c:submit { name = "long", duration = "8h", tasks = { gpu = 2 } }
    c:submit { name = "short", duration = "1h", tasks = { gpu = 2 } }
    local plan = c:schedule()
    test.placed(plan, "short")
    test.waits(plan, "long", "room")
end)

test("a long job that has waited for long goes before a new short one", function()
    local c = two_gpus()
    c:submit { name = "first", duration = "1h", tasks = { gpu = 2 } }
    c:schedule()
    c:submit { name = "long", duration = "8h", tasks = { gpu = 2 } }
    c:advance "10h"
    c:submit { name = "short", duration = "1h", tasks = { gpu = 2 } }
    c:finish "first"
    local plan = c:schedule()
    test.placed(plan, "long")
    test.waits(plan, "short")
end)
