-- cohort: borrowing and lending within limits, whoever borrows least first.
local test = ...
test.policy("cohort")

local function cluster()
    return test.cluster {
        nodes = { { name = "n", cpu = 64, gpus = 8 } },
        queues = { { name = "colours", children = {
            { name = "red", quota = { gpu = 4 }, limit = { gpu = 6 } },
            { name = "blue", quota = { gpu = 4 }, lend_limit = { gpu = 1 } } } } },
    }
end

test("a queue borrows what is lent and no more, and gives it back", function()
    local c = cluster()
    c:submit { { name = "r", queue = "red", count = 8, tasks = { gpu = 1 } } }
    local plan = c:schedule()
    test.equal(c:queue("red").gpu.used, 5)
    test.equal(plan.waiting[1].code, "lending")
    c:advance("1h")
    c:submit { { name = "b", queue = "blue", count = 4, tasks = { gpu = 1 } } }
    c:schedule() c:schedule("1m")
    test.equal(c:queue("red").gpu.used, 4)
    test.equal(c:queue("blue").gpu.used, 4)
end)

test("the limit holds though more is lent", function()
    local c = cluster()
    c:update_queues { { name = "blue", lend_limit = { gpu = 4 } } }
    c:submit { { name = "r", queue = "red", count = 8, tasks = { gpu = 1 } } }
    local plan = c:schedule()
    test.equal(c:queue("red").gpu.used, 6)
    test.equal(plan.waiting[1].code, "limit")
end)
