-- policy_tests.lua: the functions that a file of policy tests calls, and the code that runs the
-- tests of the file (docs/policy-tests.md).
--
-- These functions turn tables into scenarios in YAML, as `lsched run` reads them, and the C code
-- runs the scenarios. Therefore a test can use every key of a scenario. Each call that changes a
-- cluster or runs a cycle is a scenario of one event, which runs in the cluster of the test. An
-- error names the line of the call in the test file.
local host = ...
local common = host.words
local Failure, fail, quote, keys_of = common.Failure, common.fail, common.quote, common.keys_of
local show, meant, is_list = common.show, common.meant, common.is_list
local yaml_text, yaml_value = common.yaml_text, common.yaml_value
local floor, format, concat, sort = math.floor, string.format, table.concat, table.sort
local raise, call_protected, load_text, set_environment = error, pcall, loadstring, setfenv

-- ---- where --------------------------------------------------------------------------------------

local function file_line(line)
    return host.file .. ":" .. line
end

-- Returns the text of the call that begins at a line: up to where all its brackets are closed.
local function call_text(line)
    local at, depth, n = 1, 0, 1
    while n < line do
        at = (host.source:find("\n", at, true) or #host.source) + 1
        n = n + 1
    end
    local rest = host.source:sub(at)
    for place, bracket in rest:gmatch("()([%(%){}])") do
        depth = depth + ((bracket == "(" or bracket == "{") and 1 or -1)
        if depth <= 0 and not rest:find("^[^\n]*[%({]", place + 1) then
            return rest:sub(1, place)
        end
    end
    return rest
end

-- Returns the line of a word in the call that begins at `line`. If the call does not have the word,
-- or has it on several lines, returns `line`.
local function line_of_word(word, line)
    local found, n = nil, line
    for text in call_text(line):gmatch("([^\n]*)\n?") do
        local from, to = text:find(word, 1, true)
        local beside = from and text:sub(from - 1, from - 1) .. text:sub(to + 1, to + 1) or "a"
        if not beside:find("[%w_]") then
            if found then return line end
            found = n
        end
        n = n + 1
    end
    return found or line
end

-- Raises an error of the library as a failure of the test, without a position such as
-- "scenario:1:20", which the author cannot see. The failure names the line in the test file.
local function raise_library(err)
    local message = err.message:gsub("^scenario:%d+:%d+: ", "")
    local word, line = message:match('got "(.-)"'), host.places()[1]
    fail(message, nil, word and line and line_of_word(word, line) or nil)
end

-- ---- policies -----------------------------------------------------------------------------------

local default_policy

-- Returns the text of a policy and a name for it. If the text is part of the test file, empty lines
-- are added before it, so that an error of the policy names the line in the test file.
local function placed_text(text)
    local at = host.source:find(text, 1, true)
    if not at then return text, "policy" end
    local _, lines = host.source:sub(1, at - 1):gsub("\n", "")
    return ("\n"):rep(lines) .. text, host.file
end

local function policy_form(policy, params)
    if type(policy) == "table" and not params then
        if not policy.text then return policy end
        local form = {}
        for key, value in pairs(policy) do form[key] = value end
        local text, name = placed_text(policy.text)
        form.text, form.name = text, policy.name or name
        return form
    end
    if type(policy) ~= "string" then
        fail("expected the name of a ready-made policy, a file, or the text of a policy, got "
            .. type(policy))
    end
    if params ~= nil and type(params) ~= "table" then
        fail("expected a table of parameters, got " .. type(params))
    end
    if policy:find("[\n{]") then return policy_form({ text = policy, params = params }) end
    if policy:find("/", 1, true) or policy:find("%.lua$") then
        local path = policy:sub(1, 1) == "/" and policy or host.directory .. policy
        return { file = path, params = params }
    end
    return { name = policy, params = params }
end

-- ---- plans --------------------------------------------------------------------------------------

local latest_plan, unseen_errors
local Plan = {}
Plan.__index = Plan

function Plan.__tostring(plan)
    return plan.text
end

local function take_plan(plan)
    if not plan then return nil end
    latest_plan = setmetatable(plan, Plan)
    if plan.policy_error then unseen_errors[plan] = plan.policy_error end
    return plan
end

local function check_plan(plan, called)
    if getmetatable(plan) ~= Plan then
        fail(format("test.%s: expected a plan, as c:schedule() returns it, got %s", called,
            type(plan) == "table" and "another table" or type(plan)))
    end
end

-- Returns the decisions of one kind about a job.
local function decisions(plan, kind, job)
    local found = {}
    for _, decision in ipairs(plan.decisions) do
        if decision.kind == kind and decision.job == job then found[#found + 1] = decision end
    end
    return found
end

local function nodes_of(found)
    local names, seen = {}, {}
    for _, decision in ipairs(found) do
        if not seen[decision.node] then names[#names + 1] = decision.node end
        seen[decision.node] = true
    end
    sort(names)
    return names
end

-- Returns a text for messages that says what the plan does with a job.
local function fate(plan, job)
    local words = {}
    for _, row in ipairs({ { "place", "is placed on" }, { "nominate", "is nominated on" },
                           { "evict", "is evicted from" }, { "migrate", "moves from" } }) do
        local found = decisions(plan, row[1], job)
        if #found > 0 then
            words[#words + 1] = format("%s %s (%d %s)", row[2], concat(nodes_of(found), ", "),
                #found, #found == 1 and "task" or "tasks")
        end
    end
    local wait = plan.waits[job]
    if wait then words[#words + 1] = format("it waits (%s): %s", wait.code, wait.text) end
    if #words > 0 then return concat(words, "; ") end
    if plan.jobs[job] then return "the plan says nothing about it" end
    return "there is no such job" .. meant(job, keys_of(plan.jobs))
end

-- ---- clusters -----------------------------------------------------------------------------------

local Cluster = {}
Cluster.__index = function(_, key)
    if Cluster[key] ~= nil then return Cluster[key] end
    local words = {}
    for word in pairs(Cluster) do
        if not word:find("^_") then words[#words + 1] = word end
    end
    sort(words)
    fail(format("a cluster has no '%s'%s", tostring(key), meant(tostring(key), words)))
end

local id_of = setmetatable({}, { __mode = "k" }) -- maps a cluster to its state: C number, time, ...

local function state_of(cluster)
    local state = type(cluster) == "table" and id_of[cluster]
    if not state then fail("call it with a colon, as in c:schedule()") end
    return state
end

-- Returns a time in microseconds. `at` is a date, a duration such as "10m", or a number of seconds;
-- the last two are added to the time of the cluster. If `at` is nil, returns the cluster's time.
local function time_of(state, at, called)
    if at == nil then return state.now end
    local us = type(at) == "number" and state.now + floor(at * 1e6 + 0.5)
        or type(at) == "string" and host.time(at, state.now)
    if not us then
        fail(format("%s: expected a span such as \"10m\" or a date such as "
            .. "\"2026-01-05T08:30Z\", got %s", called, show(at)))
    end
    if us < state.now then fail(format("%s: %s lies in the past", called, show(at))) end
    return us
end

-- The keys of an event that change the cluster, in the order in which a scenario applies them.
local ORDER = {}
for word in ([[add_queues update_queues add_nodes update_nodes cordon uncordon policy task_mix
        submit running start usage priority update_jobs finish fail complete remove_jobs remove_nodes
        remove_queues]]):gmatch("%S+") do
    ORDER[#ORDER + 1] = word
    ORDER[word] = #ORDER
end

local function yaml_event(event)
    local parts, done = {}, {}
    for _, key in ipairs(ORDER) do
        if event[key] ~= nil then
            parts[#parts + 1] = key .. ": " .. yaml_value(event[key], key, key)
            done[key] = true
        end
    end
    for _, key in ipairs(keys_of(event)) do
        if type(key) ~= "string" then
            fail("an event: expected a name as key, got " .. show(key))
        end
        if not done[key] then
            parts[#parts + 1] = yaml_text(key) .. ": " .. yaml_value(event[key], key, key)
        end
    end
    return "{" .. concat(parts, ", ") .. "}"
end

local function remember_jobs(state, jobs)
    for _, job in ipairs(is_list(jobs) and jobs or { jobs }) do
        if type(job) == "table" and type(job.name) == "string" then state.jobs[job.name] = true end
    end
end

-- Runs one event at the time `at`. Returns the plan, or nil if the event runs no cycle.
local function play(state, event, at)
    local parts = { "start: " .. format("%.0fus", state.now), "schedule: false",
                    "settle: " .. state.settle }
    if state.resources then parts[#parts + 1] = "resources: " .. state.resources end
    if state.models then parts[#parts + 1] = "models: " .. state.models end
    event.at = format("%.0fus", at - state.now)
    parts[#parts + 1] = "events: [" .. yaml_event(event) .. "]"
    local plan, failures = host.play(state.id, concat(parts, "\n") .. "\n")
    if plan == nil then raise_library(failures) end
    state.now = at
    if plan then plan.jobs = state.jobs end
    plan = take_plan(plan)
    if #failures > 0 then
        for i, text in ipairs(failures) do failures[i] = text:gsub("^scenario:%d+:%d+: ", "") end
        fail(concat(failures, "\n"), plan or latest_plan)
    end
    return plan
end

local function change(state, event)
    event.schedule = false
    play(state, event, state.now)
end

local function leaf_queue(queues)
    if type(queues) ~= "table" then return nil end
    local list = is_list(queues) and queues or { queues }
    if #list ~= 1 or type(list[1]) ~= "table" or list[1].children then return nil end
    local name = list[1].name
    return type(name) == "string" and not name:find("[", 1, true) and name or nil
end

-- Returns copies of the jobs; a job without a queue gets the cluster's only queue.
local function with_queue(state, jobs)
    if type(jobs) ~= "table" then
        fail("submit: expected a job or a list of jobs, got " .. type(jobs))
    end
    local list = {}
    for i, job in ipairs(is_list(jobs) and jobs or { jobs }) do
        if type(job) ~= "table" then fail("submit: expected a job, got " .. show(job)) end
        local copy = {}
        for key, value in pairs(job) do copy[key] = value end
        copy.queue = copy.queue or state.queue
        list[i] = copy
    end
    remember_jobs(state, list)
    return list
end

local function make_cluster(form)
    if type(form) ~= "table" then
        fail("test.cluster: expected a table as in a scenario, got " .. type(form))
    end
    if form.events then fail("test.cluster: events are calls here, such as c:submit{...}") end
    local state = { jobs = {}, queue = leaf_queue(form.queues), settle = form.settle or "auto" }
    local parts, copy = {}, {}
    for key, value in pairs(form) do copy[key] = value end
    copy.start = copy.start or "2026-01-05T00:00Z"
    copy.schedule = false
    if copy.jobs then copy.jobs = with_queue(state, copy.jobs) end
    if copy.policy == nil then
        copy.policy = default_policy
    else
        copy.policy = policy_form(copy.policy)
    end
    for i, key in ipairs(keys_of(copy)) do
        if type(key) ~= "string" then
            fail("test.cluster: expected a name as key, got " .. show(key))
        end
        parts[i] = yaml_text(key) .. ": " .. yaml_value(copy[key], key, key)
    end
    local id, err = host.open(concat(parts, "\n") .. "\n")
    if not id then raise_library(err) end
    state.id = id
    state.now = host.time(tostring(copy.start), 0) or 0
    state.resources = form.resources and yaml_value(form.resources, "resources", "resources")
    state.models = form.models and yaml_value(form.models, "models", "models")
    local cluster = setmetatable({}, Cluster)
    id_of[cluster] = state
    return cluster
end

function Cluster:submit(jobs)
    local state = state_of(self)
    change(state, { submit = with_queue(state, jobs) })
end

-- Methods that change the cluster, such as c:finish("a") or c:finish{"a", "b/0"}. The argument is
-- the value of the event key with the name of the method.
for word in ([[start finish fail running usage priority update_jobs cordon uncordon add_nodes
        update_nodes remove_nodes add_queues update_queues remove_queues remove_jobs complete task_mix]]):gmatch("%S+") do
    Cluster[word] = function(self, what)
        if what == nil then fail(format("c:%s: expected what, got nil", word)) end
        change(state_of(self), { [word] = what })
    end
end

function Cluster:policy(policy, params)
    local state = state_of(self)
    if policy == nil then return host.policy(state.id) end
    change(state, { policy = policy_form(policy, params) })
end

-- Runs one cycle at the time `at` and returns its plan. `more` has other keys of the event.
function Cluster:schedule(at, more)
    local state = state_of(self)
    if type(at) == "table" then at, more = nil, at end
    local event = {}
    for key, value in pairs(more or {}) do event[key] = value end
    if event.schedule == nil then event.schedule = { all_waiting = true } end
    if event.submit then event.submit = with_queue(state, event.submit) end
    if event.policy then event.policy = policy_form(event.policy) end
    return play(state, event, time_of(state, at, "c:schedule"))
end

-- Sets the cluster's time to `at`. Runs no cycle and changes nothing else.
function Cluster:advance(at)
    local state = state_of(self)
    state.now = time_of(state, at, "c:advance")
end

-- Simulates an orchestrator until the time `at`: runs a cycle whenever one is due, and ends a task
-- when the duration of its job is over. Returns a list of the plans that have decisions.
function Cluster:run(at)
    local state, plans, cycles = state_of(self), {}, 1
    local till = time_of(state, at, "c:run")
    local plan = self:schedule()
    repeat
        if #plan.decisions > 0 then plans[#plans + 1] = plan end
        local running, wake = host.running(state.id)
        local next_time, ended = math.max(wake, state.now), {}
        for _, task in ipairs(running) do
            if task.ends < next_time then next_time, ended = math.max(task.ends, state.now), {} end
            if task.ends <= next_time then ended[#ended + 1] = task.job .. "/" .. task.task end
        end
        if next_time > till then break end
        cycles = cycles + 1
        if cycles > 100000 then fail("c:run: 100000 cycles, and there is no end") end
        plan = play(state, { finish = #ended > 0 and ended or nil,
                             schedule = { all_waiting = true } }, next_time)
    until false
    state.now = till
    return plans
end

function Cluster:event(event)
    local state = state_of(self)
    if type(event) ~= "table" then fail("c:event: expected a table, got " .. type(event)) end
    local copy = {}
    for key, value in pairs(event) do copy[key] = value end
    local at = copy.at
    copy.at = nil
    if copy.schedule == nil then copy.schedule = { all_waiting = true } end
    if copy.submit then copy.submit = with_queue(state, copy.submit) end
    if copy.policy then copy.policy = policy_form(copy.policy) end
    return play(state, copy, time_of(state, at, "c:event"))
end

-- Checks expectations (docs/scenario-format.md) in the current state of the cluster.
function Cluster:expect(expectations)
    change(state_of(self), { expect = expectations })
end

function Cluster:now()
    return state_of(self).now / 1e6
end

for _, word in ipairs({ "job", "queue", "node" }) do
    Cluster[word] = function(self, name)
        if type(name) ~= "string" then
            fail(format("c:%s: expected a name, got %s", word, show(name)))
        end
        return host[word](state_of(self).id, name)
    end
end

-- Returns the value and the summands of a hook: priority, weight, score, time_limit, queue_order.
function Cluster:ask(hook, job, node)
    local state = state_of(self)
    local hooks = { "priority", "queue_order", "score", "time_limit", "weight" }
    local known = false
    for _, name in ipairs(hooks) do known = known or name == hook end
    if not known then
        fail(format("c:ask: expected %s, got %s%s", concat(hooks, ", "), show(hook),
            meant(tostring(hook), hooks)))
    elseif not self:job(job) then
        fail(format("there is no job %s%s", quote(job), meant(job, keys_of(state.jobs))))
    elseif hook == "score" and not self:node(node) then
        fail(format("there is no node %s", quote(node)))
    end
    local value, terms = host.ask(state.id, hook, job, node, state.now)
    if not value then fail(terms) end
    return value, terms
end

function Cluster:explain(job)
    local text = host.explain(state_of(self).id, job)
    if not text then fail(format("there is no job %s%s", quote(job),
        meant(tostring(job), keys_of(state_of(self).jobs)))) end
    return text
end

-- ---- assertions ---------------------------------------------------------------------------------

local test = {}

local function expected(plan, job, what)
    fail(format("expected job '%s' %s, but %s", job, what, fate(plan, job)), plan)
end

local function check_job(plan, job, called)
    check_plan(plan, called)
    if type(job) ~= "string" then
        fail(format("test.%s: expected the name of a job, got %s", called, show(job)))
    end
end

-- Returns the decisions of a kind about a job. Fails if there are none, if there are not `more` of
-- them (a number), or if one of them is for another node than `more` (a string).
local function check_found(plan, job, kind, what, more)
    local found = decisions(plan, kind, job)
    if #found == 0 then expected(plan, job, what) end
    if type(more) == "number" and #found ~= more then
        expected(plan, job, format("%s with %d %s", what, more, more == 1 and "task" or "tasks"))
    end
    local nodes = nodes_of(found)
    if type(more) == "string" and (#nodes ~= 1 or nodes[1] ~= more) then
        expected(plan, job, format("%s on %s", what, more))
    end
    return found
end

function test.placed(plan, job, more)
    check_job(plan, job, "placed")
    return check_found(plan, job, "place", "to be placed", more)
end

function test.nominated(plan, job, more)
    check_job(plan, job, "nominated")
    return check_found(plan, job, "nominate", "to be nominated", more)
end

function test.not_placed(plan, job)
    check_job(plan, job, "not_placed")
    if #decisions(plan, "place", job) > 0 then expected(plan, job, "not to be placed") end
end

-- Fails if the plan does not place the job, or places a task of the job on a node not given.
function test.on(plan, job, ...)
    check_job(plan, job, "on")
    local allowed = type((...)) == "table" and (...) or { ... }
    local found = check_found(plan, job, "place", "to be placed on " .. concat(allowed, ", "))
    local ok = {}
    for _, node in ipairs(allowed) do ok[node] = true end
    for _, decision in ipairs(found) do
        if not ok[decision.node] then
            expected(plan, job, "to be placed on " .. concat(allowed, ", ") .. " only")
        end
    end
end

function test.waits(plan, job, code, text)
    check_job(plan, job, "waits")
    local wait = plan.waits[job]
    if code ~= nil and type(code) ~= "string" then
        fail("test.waits: expected the word of a reason such as \"room\", got " .. show(code))
    end
    if not wait or code and wait.code ~= code then
        expected(plan, job, code and format("to wait (%s)", code) or "to wait")
    end
    if text and not wait.text:find(text, 1, true) then
        expected(plan, job, format("to wait and the reason to say %s", quote(text)))
    end
    return wait
end

-- Returns the decisions that evict or move a job. Fails if there are none, or if they differ from
-- `why`, which is a reason such as "reclaim" or a table {reason =, for_job =, on =, tasks =}.
local function check_stopped(plan, kind, job, why, what)
    local found = decisions(plan, kind, job)
    if #found == 0 then expected(plan, job, "to be " .. what) end
    if type(why) == "string" then why = { reason = why } end
    why = why or {}
    for _, key in ipairs(keys_of(why)) do
        if key ~= "reason" and key ~= "for_job" and key ~= "on" and key ~= "tasks" then
            fail(format("expected reason, for_job, on or tasks, got %s", quote(key)))
        end
    end
    local decision = found[1]
    if why.reason and decision.reason ~= why.reason then
        expected(plan, job, format("to be %s by %s, and it is by %s", what, why.reason,
            tostring(decision.reason)))
    elseif why.for_job and decision.for_job ~= why.for_job then
        expected(plan, job, format("to be %s for '%s', and it is for %s", what, why.for_job,
            decision.for_job and quote(decision.for_job) or "nobody"))
    elseif why.on then
        check_found(plan, job, kind, "to be " .. what, why.on)
    end
    if why.tasks then check_found(plan, job, kind, "to be " .. what, why.tasks) end
    return found
end

function test.evicted(plan, job, why)
    check_job(plan, job, "evicted")
    return check_stopped(plan, "evict", job, why, "evicted")
end

function test.moved(plan, job, why)
    check_job(plan, job, "moved")
    return check_stopped(plan, "migrate", job, why, "moved")
end

function test.not_evicted(plan, job)
    check_plan(plan, "not_evicted")
    for _, decision in ipairs(plan.decisions) do
        if decision.kind == "evict" and (job == nil or decision.job == job) then
            if job then expected(plan, job, "not to be evicted") end
            fail(format("expected nobody to be evicted, but '%s' %s", decision.job,
                fate(plan, decision.job)), plan)
        end
    end
end

-- Fails if the plan does not place the jobs in this order; other jobs can come in between.
function test.order(plan, jobs)
    check_plan(plan, "order")
    local order, first = {}, {}
    for i, decision in ipairs(plan.decisions) do
        if decision.kind == "place" and not first[decision.job] then
            first[decision.job] = i
            order[#order + 1] = decision.job
        end
    end
    local before = 0
    for _, job in ipairs(jobs) do
        if not first[job] then expected(plan, job, "to be placed") end
        if first[job] < before then
            fail(format("expected the order %s, got %s", concat(jobs, ", "), concat(order, ", ")),
                plan)
        end
        before = first[job]
    end
end

function test.policy_error(plan, text)
    check_plan(plan, "policy_error")
    unseen_errors[plan] = nil
    if not plan.policy_error then fail("expected the policy to fail, but it did not", plan) end
    if text and not plan.policy_error:find(text, 1, true) then
        fail(format("expected the policy to fail with %s,\ngot %s", quote(text), plan.policy_error),
            plan)
    end
    return plan.policy_error
end

function test.logged(plan, text)
    check_plan(plan, "logged")
    for _, line in ipairs(plan.log) do
        if line:find(text, 1, true) then return line end
    end
    fail(format("expected the policy to log %s, got %s", quote(text), show(plan.log)), plan)
end

local function equal(a, b, depth)
    if a == b or a ~= a and b ~= b then return true end
    if type(a) ~= "table" or type(b) ~= "table" or depth > 16 then return false end
    for key, value in pairs(a) do
        if not equal(value, b[key], depth + 1) then return false end
    end
    for key in pairs(b) do
        if a[key] == nil then return false end
    end
    return true
end

local function said(message)
    return message and message .. ": " or ""
end

function test.equal(got, want, message)
    if not equal(got, want, 0) then
        fail(format("%sexpected %s, got %s", said(message), show(want), show(got)), latest_plan)
    end
end

function test.near(got, want, within, message)
    within = within or 1e-9
    if type(got) ~= "number" or type(want) ~= "number" then
        fail(format("%sexpected a number near %s, got %s", said(message), show(want), show(got)))
    end
    if not (got == want or math.abs(got - want) <= within) then
        fail(format("%sexpected %.10g within %.10g, got %.10g", said(message), want, within, got),
            latest_plan)
    end
end

function test.ok(value, message)
    if not value then
        fail(format("%sexpected true, got %s", said(message), show(value)), latest_plan)
    end
    return value
end

local function message_of(err)
    return getmetatable(err) == Failure and err.message or tostring(err)
end

-- Fails if the function raises no error, or an error whose message does not contain the text.
function test.fails(action, text)
    if type(action) ~= "function" then
        fail("test.fails: expected a function, got " .. type(action))
    end
    local ok, err = call_protected(action)
    if ok then fail("expected an error" .. (text and " with " .. quote(text) or "")
        .. ", but there was none") end
    local message = message_of(err)
    if text and not message:find(text, 1, true) then
        fail(format("expected an error with %s,\ngot %s", quote(text), message))
    end
    return message
end

function test.policy(policy, params)
    default_policy = policy_form(policy, params)
end

test.cluster = make_cluster

-- ---- a file -------------------------------------------------------------------------------------

local declared = {}

setmetatable(test, {
    __call = function(_, name, body)
        local line = host.places()[1] or 0
        if type(name) ~= "string" or type(body) ~= "function" then
            fail("test(name, function() ... end): expected a name and a function, got "
                .. type(name) .. " and " .. type(body))
        end
        for _, other in ipairs(declared) do
            if other.name == name then
                fail(format("there is a test '%s' at line %d already", name, other.line))
            end
        end
        declared[#declared + 1] = { name = name, body = body, line = line }
    end,
    __index = function(_, key)
        fail(format("test has no '%s'%s", tostring(key), meant(tostring(key), keys_of(test))))
    end,
})

local function print_values(...)
    local words = {}
    for i = 1, select("#", ...) do
        local value = select(i, ...)
        words[i] = getmetatable(value) == Plan and value.text
            or type(value) == "string" and value or show(value)
    end
    host.print(concat(words, "\t") .. "\n")
end

local function copy_of(t)
    local copy = {}
    for key, value in pairs(t) do copy[key] = value end
    return copy
end

-- Returns the global names that a test file can use. Functions for files, for the clock, and for
-- loading code from a text are left out.
local function environment()
    local words = { test = test, print = print_values, show = show, math = copy_of(math),
                    string = copy_of(string), table = copy_of(table) }
    for word in ([[assert error ipairs next pairs pcall select tonumber tostring type unpack
            setmetatable getmetatable xpcall]]):gmatch("%S+") do
        words[word] = _G[word]
    end
    words.string.dump = nil
    words.math.random, words.math.randomseed = nil, nil
    local names = keys_of(words)
    return setmetatable(words, {
        __index = function(_, key)
            raise(format("no global '%s'%s", tostring(key), meant(tostring(key), names)), 2)
        end,
    })
end

-- Returns the message of an error, its line in the test file (the line of the innermost call if
-- the error names none), and the plan of the error.
local function read_error(wrapped)
    if type(wrapped) ~= "table" then wrapped = { error = wrapped } end -- out of memory
    local err, line = wrapped.error, wrapped.places and wrapped.places[1]
    local message, outer = message_of(err), wrapped.places and wrapped.places[2]
    if type(err) == "table" and err.line then line = err.line end
    if type(err) == "string" then
        local at, rest = err:match("^" .. host.file:gsub("%p", "%%%0") .. ":(%d+): (.*)$")
        if at then line, message = tonumber(at), rest end
    end
    if outer and outer ~= line then
        message = message .. format("\n(called from line %d)", outer)
    end
    return message, line, type(err) == "table" and err.plan
end

local function run_one(one)
    latest_plan, unseen_errors = nil, {}
    local policy_before = default_policy
    local ok, wrapped = host.try(one.body, host.instructions)
    local message, line, plan
    if not ok then
        message, line, plan = read_error(wrapped)
    end
    for failed, text in pairs(unseen_errors) do
        local unseen = "the policy failed: " .. text
        if not message then
            message, plan = unseen .. "\n(test.policy_error(plan, text) if that is meant)", failed
        elseif not message:find(text, 1, true) then
            message = message .. "\n" .. unseen
        end
    end
    plan = plan or (message and latest_plan) or nil
    local text = plan and format("the plan of %s: %s", host.date(plan.now * 1e6), plan.text)
    host.report(one.name, one.line, line or 0, message, text)
    host.close_all()
    default_policy = policy_before
end

local function run_file()
    local chunk, wrong = load_text(host.source, "@" .. host.file)
    if not chunk then return wrong end
    if host.source:byte(1) == 27 then return host.file .. ":1: expected text, got bytecode" end
    set_environment(chunk, environment())
    unseen_errors = {}
    local ok, wrapped = host.try(function() chunk(test) end, host.instructions)
    host.close_all()
    if not ok then
        local message, line = read_error(wrapped)
        return format("%s: %s", file_line(line or 1), message)
    end
    if #declared == 0 then return file_line(1) .. ": there is no test in it" end
    for _, one in ipairs(declared) do
        if not host.filter or one.name:find(host.filter, 1, true) then
            if host.list then
                host.report(one.name, one.line, 0, nil, nil)
            else
                run_one(one)
            end
        end
    end
end

-- A test reaches this table with ("text"):dump(), so string.dump is removed here, too.
string.dump = nil

-- This string.gsub limits how deeply calls of string.gsub can be nested. The function of LuaJIT has
-- no such limit, and uses several KiB of the C stack while it calls a replacement function.
local substitute, within = string.gsub, 0

local function leave(ok, ...)
    within = within - 1
    if not ok then raise((...), 0) end
    return ...
end

function string.gsub(...)
    if within == 100 then raise("string.gsub: more than 100 within each other", 2) end
    within = within + 1
    return leave(call_protected(substitute, ...))
end

return run_file()
