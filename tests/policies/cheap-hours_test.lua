-- cheap-hours: deferrable work comes in the cheapest hours that keep its deadline; all of it comes.
local test = ...
local NIGHT = "111111999999999999999911" -- cheap from 22:00 to 06:00
test.policy("cheap-hours", { prices = NIGHT, margin_minutes = 0, least_saving = 0 })

-- A Monday, at noon unless another time is given.
local function cluster(start)
    return test.cluster {
        start = start or "2026-01-05T12:00Z",
        nodes = { { name = "n", cpu = 64 } },
        queues = { { name = "q" } },
    }
end

local function job(name, duration, deadline, more)
    local form = { name = name, duration = duration, deadline = deadline, tasks = { cpu = 1 } }
    for key, value in pairs(more or {}) do form[key] = value end
    return form
end

-- Plays until the time, and returns the first start of each job, in seconds after the begin.
local function starts(c, until_)
    local begun, first = c:now(), {}
    for _, plan in ipairs(c:run(until_)) do
        for _, d in ipairs(plan.decisions) do
            if d.kind == "place" and not first[d.job] then first[d.job] = plan.now - begun end
        end
    end
    return first
end

test("only work with a deadline and an estimate for which nobody waits is deferred", function()
    local c = cluster()
    c:submit { job("can-wait", "1h", "24h"), job("no-deadline", "1h"), job("no-estimate", nil, "24h"),
        job("desk", "1h", "24h", { interactive = true }) }
    local plan = c:schedule()
    test.order(plan, { "desk", "no-deadline", "no-estimate" })
    test.waits(plan, "can-wait", "admit", "waits 10.0 h for cheaper hours")
end)

test("it starts when the cheap hours begin, and then the cycle is due", function()
    local c = cluster("2026-01-05T21:59:45Z")
    c:submit(job("can-wait", "1h", "24h"))
    test.equal(c:schedule().next_wake, c:now() + 15) -- a refresh would be due in 30 s
    test.placed(c:schedule("15s"), "can-wait")
end)

test("a deadline that leaves no cheap hour is kept", function()
    local c = cluster()
    c:submit { job("tight", "3h", "3h"), job("late", "3h", "2h"), job("soon", "3h", "5h"),
        job("partly", "3h", "11h") }
    local first = starts(c, "24h")
    test.equal(first.tight, 0)
    test.equal(first.late, 0)
    test.equal(first.soon, 0)           -- all its starts cost the same
    test.equal(first.partly, 8 * 3600)  -- its last hour is cheap
end)

test("the margin is before the latest start, and small savings are not waited for", function()
    test.policy("cheap-hours", { prices = NIGHT, margin_minutes = 30, least_saving = 0 })
    local c = cluster()
    c:submit(job("partly", "3h", "11h"))
    test.equal(starts(c, "24h").partly, 7.5 * 3600)
    test.policy("cheap-hours", { prices = NIGHT, least_saving = 0.95 })
    c = cluster()
    c:submit(job("can-wait", "1h", "24h"))
    test.placed(c:schedule(), "can-wait")
end)

test("numbers out of their range are refused when the policy is loaded", function()
    for name, of in pairs { utc_offset_hours = { 330, -24.5 }, least_saving = { 2, -0.01 },
        margin_minutes = { -1 } } do
        for _, value in ipairs(of) do
            test.fails(function()
                test.cluster { policy = { name = "cheap-hours", params = { [name] = value } } }
            end, name .. " must be")
        end
    end
end)

test("of starts that cost the same, the earliest is told", function()
    test.policy("cheap-hours", { prices = NIGHT, least_saving = 0 })
    local c = cluster("2026-01-05T18:00Z")
    c:submit(job("can-wait", "1h", "30h"))
    test.waits(c:schedule(), "can-wait", "admit", "waits 4.0 h for cheaper hours")
end)

test("prices must name each hour", function()
    for _, prices in ipairs { "12", NIGHT .. "1", "11111199999999999999991x" } do
        test.fails(function()
            test.cluster { policy = { name = "cheap-hours", params = { prices = prices } } }
        end, "prices must be 24 digits")
    end
end)

-- What a run costs, minute by minute: written anew, for whole minutes.
local function cost_by_minutes(prices, from, minutes)
    local cost = 0
    for minute = from, from + minutes - 1 do
        local hour = math.floor(minute / 60) % 24
        cost = cost + tonumber(prices:sub(hour + 1, hour + 1))
    end
    return cost
end

-- The least cost of a run that begins at noon or within `slack` minutes of it.
local function least_cost(prices, minutes, slack)
    local least = math.huge
    for start = 720, 720 + slack, 10 do
        least = math.min(least, cost_by_minutes(prices, start, minutes))
    end
    return least
end

test("every deferred job comes back, in time, and at the least cost", function()
    local seed = 7
    local function below(n)
        seed = (seed * 16807) % 2147483647
        return seed % n
    end
    for _ = 1, 2 do
        local prices, jobs = "", {}
        for _ = 1, 24 do prices = prices .. (1 + below(9)) end
        test.policy("cheap-hours", { prices = prices, margin_minutes = 0, least_saving = 0 })
        local c = cluster()
        for i = 1, 8 do
            jobs[i] = { minutes = 10 * (1 + below(30)), slack = 10 * below(100) }
            c:submit(job("j" .. i, jobs[i].minutes .. "m",
                (jobs[i].minutes + jobs[i].slack) .. "m"))
        end
        local first = starts(c, "17h")
        for i, of in ipairs(jobs) do
            local at = first["j" .. i]
            test.ok(at, "a job never started")
            test.ok(at <= of.slack * 60, "a deadline is missed")
            test.equal(cost_by_minutes(prices, 720 + at / 60, of.minutes),
                least_cost(prices, of.minutes, of.slack))
        end
    end
end)
