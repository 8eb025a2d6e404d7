-- day-night-quotas: which guarantee holds when, and that nothing is stopped without need.
local test = ...
test.policy("day-night-quotas", { utc_offset_hours = 1 })

-- A Friday, an hour before the day ends in the place of the policy.
local function cluster(policy)
    return test.cluster {
        start = "2026-01-09T18:00Z",
        nodes = { { name = "n", cpu = 64, gpus = 16 } },
        queues = {
            { name = "desks", quota = { gpu = 8, cpu = 12.5 } },
            { name = "batch", quota = { gpu = 8, cpu = "unlimited" } },
            { name = "other", quota = { gpu = 3 } },
        },
        policy = policy,
    }
end

local function guarantees(desks, batch, other)
    return { shares = {
        desks = { gpu = { guarantee = desks } }, batch = { gpu = { guarantee = batch } },
        other = { gpu = { guarantee = other } },
    } }
end

test("by day quotas are as configured, at night they shift, at the weekend it is night", function()
    local c = cluster()
    c:schedule() c:expect(guarantees(8, 8, 3))
    c:schedule("1h") c:expect(guarantees(2, 14, 3))
    c:schedule("16h") c:expect(guarantees(2, 14, 3))
    c:schedule("2026-01-12T06:59Z") c:expect(guarantees(2, 14, 3))
    c:schedule("2026-01-12T07:00Z") c:expect(guarantees(8, 8, 3))
end)

test("a cycle at the change finds the new quotas, though no refresh is due", function()
    local c = cluster()
    c:schedule("59m55s") c:expect(guarantees(8, 8, 3))
    c:schedule("5s") c:expect(guarantees(2, 14, 3))
end)

test("what is unlimited stays so, parts of cores are scaled", function()
    local c = cluster()
    c:schedule("1h")
    c:expect { shares = {
        desks = { cpu = { guarantee = 3.125 } }, batch = { cpu = { guarantee = "unlimited" } },
    } }
end)

test("workdays and hours may be others, also across midnight", function()
    local c = cluster { name = "day-night-quotas",
        params = { workdays = "7", day_begins = "22:00", day_ends = "04:00" } }
    c:schedule() c:expect(guarantees(2, 14, 3))                     -- Friday
    c:schedule("2026-01-11T21:59Z") c:expect(guarantees(2, 14, 3))
    c:schedule("2026-01-11T22:00Z") c:expect(guarantees(8, 8, 3))   -- Sunday
    c:schedule("2026-01-12T00:00Z") c:expect(guarantees(2, 14, 3))  -- Monday: not a workday
end)

test("desks run on at night until batch work needs the room", function()
    local c = cluster()
    c:submit { { name = "desk", queue = "desks", count = 8, tasks = { gpu = 1 } } }
    c:schedule()
    test.not_evicted(c:schedule("2h"))
    c:submit { { name = "night", queue = "batch", count = 14, tasks = { gpu = 1 } } }
    c:schedule() c:schedule("1m")
    test.equal(c:queue("batch").gpu.used, 14)
    test.equal(c:queue("desks").gpu.used, 2)
end)

test("what is no time of day does not load", function()
    test.fails(function() cluster { name = "day-night-quotas", params = { day_begins = "8h" } } end,
        'a time of day such as "08:00"')
end)
