-- deadline: least laxity first, late jobs step back and come first in the end, and nobody starves.
local test = ...
test.policy("deadline")

local function cluster(cpus, params)
    return test.cluster {
        nodes = { { name = "n", cpu = cpus } },
        queues = { { name = "q" } },
        policy = params and { name = "deadline", params = params },
    }
end

local function job(name, deadline, duration, more)
    local form = { name = name, deadline = deadline, duration = duration, tasks = { cpu = 1 } }
    for key, value in pairs(more or {}) do form[key] = value end
    return form
end

test("what can wait least goes first, not what is due first", function()
    local c = cluster(3)
    c:submit { job("due-in-2h-takes-10m", "2h", "10m"), job("due-in-9h-takes-8h", "9h", "8h"),
        job("due-in-1h-takes-30m", "1h", "30m") }
    test.order(c:schedule(), { "due-in-1h-takes-30m", "due-in-9h-takes-8h", "due-in-2h-takes-10m" })
end)

test("a job that cannot be on time does not make others late", function()
    local c = cluster(1)
    c:submit { job("missed", "30m", "1h"), job("tight", "2h", "1h") }
    test.placed(c:schedule(), "tight")
end)

test("once it has waited for late_hours it goes before all", function()
    local c = cluster(1, { late_hours = 2 })
    c:submit(job("missed", "30m", "1h"))
    test.placed(c:schedule(), "missed")
    c = cluster(1, { late_hours = 2 })
    c:submit { job("missed", "30m", "1h"), job("blocker", "2h", "1h") }
    test.placed(c:schedule(), "blocker")
    c:advance("2h")
    c:submit(job("tight", "1h1m", "1h"))
    c:finish("blocker")
    test.placed(c:schedule(), "missed")
end)

test("with late_hours = 0 what is late goes first", function()
    local c = cluster(1, { late_hours = 0 })
    c:submit { job("missed", "30m", "1h"), job("tight", "2h", "1h") }
    test.placed(c:schedule(), "missed")
end)

test("without a deadline a job is due patience_hours after it was submitted", function()
    local c = cluster(3, { patience_hours = 10 })
    c:submit { job("whenever", nil, "1h"), job("in-9h", "9h", "1h"), job("in-11h", "11h", "1h") }
    test.order(c:schedule(), { "in-9h", "whenever", "in-11h" })
end)

test("without an estimate a job takes unknown_hours", function()
    local c = cluster(2, { unknown_hours = 5 })
    c:submit { job("unknown", "6h"), job("known", "4h", "2h") }
    test.order(c:schedule(), { "unknown", "known" })
end)

test("priorities count only if they are asked for", function()
    for hours, first in pairs({ [0] = "near", [1] = "dear" }) do
        local c = cluster(1, { priority_hours = hours })
        c:submit { job("near", "3h", "1h"), job("dear", "6h", "1h", { priority = 4 }) }
        test.placed(c:schedule(), first)
    end
end)

test("a stream of urgent work starves nobody", function()
    local c = cluster(1, { patience_hours = 3 })
    c:submit(job("patient", nil, "1h"))
    for i = 1, 8 do c:submit(job("urgent-" .. i, i .. "h", "1h")) end
    c:run("5h")
    local patient = c:job("patient") -- nil: it has ended
    test.ok(not patient or patient.running == 1, "it started within five hours")
end)
