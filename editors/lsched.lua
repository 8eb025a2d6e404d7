---@meta lsched
-- Made by scripts/editor-files from fields.def and the tables of the host: not to be edited.
-- For policies (docs/policy-language.md); how to use it stands there.

---@alias lsched.FairShare "drf"|"fifo"|"quota"|"cohort"|"fair-tree"
---@alias lsched.Order "priority"|"fifo"|"shortest-first"|"deadline"
---@alias lsched.Placement "best-fit"|"binpack"|"spread"|"first-fit"|"fgd"|"least-fragmentation"|"least-peak"
---@alias lsched.Action "allocate"|"ts-dpbp"|"backfill"|"consolidate"|"reclaim"|"preempt"|"evict-stale-gangs"|"evict-overdue"|"evict-idle"|"drain"|"speed-up"

---Amounts by resource kind: cores, GiB, GPUs; math.huge: no bound.
---@alias lsched.Amounts table<string, number>

---A job, as a hook sees it. Read-only.
---@class lsched.Job
---@field name string unique name of the job
---@field queue string name of its queue
---@field priority number as submitted; higher goes first
---@field waiting number time since submission; 0 once all its tasks are placed (s)
---@field submitted number time of submission (s since 1970)
---@field duration number estimate; 0 if unknown (s)
---@field deadline number 0 if none (s since 1970)
---@field preemptible boolean may be stopped for others
---@field interactive boolean a person waits for it
---@field tasks number tasks wanted, all groups together
---@field tasks_min number tasks needed to start
---@field tasks_placed number tasks that hold resources
---@field cpu number per task of the group in question (the first leaf for hooks about whole jobs) (cores)
---@field memory number likewise (GiB)
---@field gpu number likewise; below 1 a part of one device (GPUs)
---@field gpu_memory number asked per device; 0 if in proportion (GiB)
---@field cpu_total number all wanted tasks together (cores)
---@field memory_total number all wanted tasks together (GiB)
---@field gpu_total number all wanted tasks together (GPUs)
---@field user string as submitted, "" if none
---@field user_group string as submitted, "" if none
---@field time_limit number how long it may run, as submitted; math.huge if for any time (s)
---@field runtime number since the first of its tasks that run started; 0 if none runs (s)
---@field gpu_utilization number 0 to 1: latest reported use of the GPUs that it holds, their mean; 1 if unknown
---@field checkpoint number between its checkpoints; 0 if it makes none (s)
---@field idle number since a report last showed that it uses its GPUs; 0 if it never reported (s)
---@field exclusive_level string level of the places that it has for itself, "node" for nodes, the widest of its groups; "" if none

---A queue, as a hook sees it. Read-only.
---@class lsched.Queue
---@field name string unique name of the queue
---@field parent string name of the parent, "" at the root
---@field depth number 0 at the root
---@field priority number among siblings
---@field jobs number in it and below
---@field jobs_pending number of these, with tasks that wait
---@field cpu_used number held by its tasks and those below (cores)
---@field memory_used number likewise (GiB)
---@field gpu_used number likewise (GPUs)
---@field gpu_quota number configured guarantee (GPUs)
---@field cpu_quota number configured guarantee (cores)
---@field memory_quota number configured guarantee (GiB)
---@field gpu_quota_now number guarantee in force; math.huge if unlimited (GPUs)
---@field gpu_limit number configured limit; math.huge if unlimited (GPUs)
---@field gpu_limit_now number limit in force; math.huge if unlimited (GPUs)
---@field gpu_used_decayed number past use as `usage` of the policy counts it (GPU hours)

---A node, as a hook sees it. Read-only.
---@class lsched.Node
---@field name string unique name of the node
---@field cpu number capacity (cores)
---@field cpu_free number free now (cores)
---@field memory number capacity (GiB)
---@field memory_free number free now (GiB)
---@field gpu number devices (GPUs)
---@field gpu_free number free now, parts of devices included (GPUs)
---@field gpu_whole_free number devices that nobody uses (GPUs)
---@field gpu_model string model of its first device, "" without one
---@field tasks number tasks that hold resources here
---@field price number as given by the orchestrator (units per hour)
---@field power number as given by the orchestrator (W)
---@field labels table<string, string?> node.labels.zone; a label that is absent reads as nil

---A piece of work that may be stopped for others. Read-only.
---@class lsched.Candidate
---@field name string unique name of its job
---@field queue string name of its queue
---@field priority number of its job, as submitted
---@field submitted number time of submission of its job (s since 1970)
---@field duration number estimate of its job; 0 if unknown (s)
---@field deadline number of its job; 0 if none (s since 1970)
---@field interactive boolean a person works with its job
---@field tasks_placed number tasks of its job that hold resources
---@field tasks number of these, tasks that would stop
---@field whole boolean the whole gang would stop; else only tasks above its minimum
---@field cpu number that would come free, all tasks together (cores)
---@field memory number likewise (GiB)
---@field gpu number likewise (GPUs)
---@field runtime number since its task on the node in question started (s)
---@field lost number work of that task since its last checkpoint (s)
---@field restart number that its job needs to be where it was (s)
---@field disruptions number times that its job was disturbed before, in its window
---@field queue_gpu_used number held by its queue and those below (GPUs)
---@field queue_gpu_quota number configured guarantee of its queue (GPUs)

---The whole. Read-only.
---@class lsched.Cluster
---@field nodes number that take work
---@field cpu number capacity of these, all together (cores)
---@field cpu_free number free on these now (cores)
---@field memory number capacity (GiB)
---@field memory_free number free now (GiB)
---@field gpu number capacity (GPUs)
---@field gpu_free number free now, parts of devices included (GPUs)
---@field jobs number known
---@field jobs_pending number of these, with tasks that wait
---@field jobs_running number of these, with nothing that waits

---The table `eviction` of a policy.
---@class lsched.Eviction
---@field release_seconds? number how long a task takes to stop (30)
---@field grace_seconds? number how long after that a claim on its room holds (120)
---@field per_hour? integer at most so many evictions; 0: any number
---@field moves_max? integer tasks that a consolidation may move (16)
---@field protection? "path"|"divergence" where a queue must be above its guarantee
---@field victims? "cheapest"|"newest"|"fewest" who goes first
---@field collision? "wait"|"evict"|"swap" what is done where device memory ran out
---@field saturation? number 1 to 1000
---@field preemption_delay_seconds? number who waits for less evicts nobody
---@field stale_grace_seconds? number how long a gang may be below its minimum (60)

---The table `usage` of a policy.
---@class lsched.Usage
---@field half_life? number seconds; 0: it does not fade
---@field window? number seconds; 0: the count never begins anew
---@field weight? number how strongly past use bends weights (1)

---What a policy returns. Write `---@type lsched.Policy` above a local of that table.
---@class lsched.Policy
---@field api 1 the version of the language
---@field name? string shown in plans
---@field fair_share? lsched.FairShare how queues share
---@field order? lsched.Order of the jobs of a queue where there is no hook `priority`
---@field params? table<string, number|string|boolean> what may be set from outside
---@field eviction? lsched.Eviction|(fun(): lsched.Eviction) how work is stopped for others
---@field usage? lsched.Usage|(fun(): lsched.Usage) how past use counts
---@field contention? {slowdown: table<string, table<string, number>>, max: number?, avoid: number?, others: string?, estimates: 'alone'|'beside'|nil} which kinds of work may share a device
---@field speeds? {speed: table<string, table<string, number>>, prefer: 'speed'|'price'|nil, others: string?, scaling: table<string, table<integer, number>>?} how fast kinds of work run on models of devices
---@field priority? fun(job: lsched.Job, queue: lsched.Queue, now: number): number higher goes first in its queue
---@field quota? fun(queue: lsched.Queue, now: number): lsched.Amounts?, number? what is guaranteed, nil: as configured; until when
---@field weight? fun(queue: lsched.Queue, now: number): number replaces the queue's weight, from 0
---@field admit? fun(job: lsched.Job, queue: lsched.Queue, now: number): boolean, string? may it start, and if not, why
---@field filter? fun(job: lsched.Job, node: lsched.Node, now: number): boolean may the job run there
---@field score? fun(job: lsched.Job, node: lsched.Node, now: number): number the highest wins
---@field victim? fun(job: lsched.Job, candidate: lsched.Candidate, now: number): number? what it costs to stop the candidate, from 0; nil: never
---@field limit? fun(queue: lsched.Queue, now: number): lsched.Amounts?, number? what may be used at most, nil: as configured; until when
---@field queue_order? fun(queue: lsched.Queue, now: number): number a whole number that replaces the queue's priority among siblings
---@field time_limit? fun(job: lsched.Job, queue: lsched.Queue, now: number): number? seconds that it may run; nil: any
---@field idle? fun(job: lsched.Job, queue: lsched.Queue, now: number): boolean? stop it, because it does nothing
---@field gang_minimum? fun(job: lsched.Job, queue: lsched.Queue, now: number): number? tasks that it needs to start; nil: as submitted
---@field placement? lsched.Placement|(fun(job: lsched.Job, queue: lsched.Queue, now: number): lsched.Placement?) nil: the default
---@field pipeline? lsched.Action[]|(fun(cluster: lsched.Cluster, now: number): lsched.Action[]?) nil: the default
---@field preempt_priority? fun(job: lsched.Job, queue: lsched.Queue, now: number): number higher may stop lower in its queue; replaces the submitted priority there

---ends the call where value is false or nil
---@param value any
---@param message? string
---@return any
function assert(value, message) end

---ends the call
---@param message string
---@param level? integer
function error(message, level) end

---in order, up to the first nil
---@param t any[]
---@return (fun(t: any[], i?: integer): integer, any)
---@return any[]
---@return integer
function ipairs(t) end

---numbers in order, then strings by their bytes
---@param t table
---@return (fun(t: table, k?: any): any, any)
---@return table
---@return nil
function pairs(t) end

---the arguments from n on, or their number
---@param n integer|"#"
---@param ... any
---@return any
function select(n, ...) end

---nil where it is none
---@param value any
---@param base? integer
---@return number?
function tonumber(value, base) end

---of a table or function its type
---@param value any
---@return string
function tostring(value) end

---its type
---@param value any
---@return "nil"|"number"|"string"|"boolean"|"table"|"function"
function type(value) end

---in [0, 1), depends on the arguments only: for ties
---@param ... any
---@return number
function hash(...) end

---0 to 23; east: hours east of UTC
---@param now number
---@param east? number
---@return integer
function hour(now, east) end

---1 is Monday, 7 is Sunday
---@param now number
---@param east? number
---@return integer
function weekday(now, east) end

---a line for the host; no answer depends on it
---@param text string|number|boolean
function log(text) end

---the parameters of this policy
---@type table<string, number|string|boolean>
params = nil

---@class stringlib
string = {}

---bytes
---@param s string
---@param i? integer
---@param j? integer
---@return integer
function string.byte(s, i, j) end

---plain text
---@param s string
---@param part string
---@return boolean
function string.contains(s, part) end

---plain text
---@param s string
---@param part string
---@return boolean
function string.ends_with(s, part) end

---%d %s %f %g %x %%
---@param form string
---@param ... any
---@return string
function string.format(form, ...) end

---bytes
---@param s string
---@return integer
function string.len(s) end

---of ASCII letters
---@param s string
---@return string
function string.lower(s) end

---plain text
---@param s string
---@param part string
---@return boolean
function string.starts_with(s, part) end

---a part
---@param s string
---@param i integer
---@param j? integer
---@return string
function string.sub(s, i, j) end

---of ASCII letters
---@param s string
---@return string
function string.upper(s) end

---@class tablelib
table = {}

---at the end
---@param t any[]
---@param value any
function table.append(t, value) end

---takes the last off
---@param t any[]
---@return any
function table.remove_last(t) end

---stable
---@param t any[]
---@param before? fun(a: any, b: any): boolean
function table.sort(t, before) end

---@class mathlib
math = {}

---without its sign
---@param x number
---@return number
function math.abs(x) end

---the next whole number up
---@param x number
---@return integer
function math.ceil(x) end

---the same bits on every machine
---@param x number
---@return number
function math.exp(x) end

---the next whole number down
---@param x number
---@return integer
function math.floor(x) end

---the rest, with the sign of x
---@param x number
---@param y number
---@return number
function math.fmod(x, y) end

---infinity: no bound
---@type number
math.huge = nil

---natural; the same bits on every machine
---@param x number
---@return number
function math.log(x) end

---the largest
---@param x number
---@param ... number
---@return number
function math.max(x, ...) end

---the smallest
---@param x number
---@param ... number
---@return number
function math.min(x, ...) end

---3.14159
---@type number
math.pi = nil

---the same bits on every machine
---@param x number
---@param y number
---@return number
function math.pow(x, y) end

---the square root
---@param x number
---@return number
function math.sqrt(x) end

---@class calendarlib
calendar = {}

---1 to 31
---@param now number
---@param east? number
---@return integer
function calendar.day_of_month(now, east) end

---0 to 23
---@param now number
---@param east? number
---@return integer
function calendar.hour(now, east) end

---"22:00" to "06:00" goes across midnight
---@param now number
---@param from string
---@param to string
---@param east? number
---@return boolean
function calendar.in_window(now, from, to, east) end

---Monday to Friday
---@param now number
---@param east? number
---@return boolean
function calendar.is_weekday(now, east) end

---0 to 59
---@param now number
---@param east? number
---@return integer
function calendar.minute(now, east) end

---1 to 12
---@param now number
---@param east? number
---@return integer
function calendar.month(now, east) end

---when it is next that time of day, in seconds since 1970
---@param now number
---@param at string
---@param east? number
---@param weekday? integer
---@return number
function calendar.next(now, at, east, weekday) end

---20:00 to 06:00
---@param now number
---@param east? number
---@return boolean
function calendar.night(now, east) end

---seconds since 1970
---@param year integer
---@param month integer
---@param day integer
---@param at string
---@param east? number
---@return number
function calendar.time(year, month, day, at, east) end

---1 is Monday, 7 is Sunday
---@param now number
---@param east? number
---@return integer
function calendar.weekday(now, east) end

---Monday to Friday, 08:00 to 18:00
---@param now number
---@param east? number
---@return boolean
function calendar.working_hours(now, east) end

---such as 2026
---@param now number
---@param east? number
---@return integer
function calendar.year(now, east) end

---@class decaylib
decay = {}

---half of value after half_life
---@param value number
---@param age number
---@param half_life number
---@return number
function decay.half_life(value, age, half_life) end

---falls evenly to 0 over life
---@param value number
---@param age number
---@param life number
---@return number
function decay.linear(value, age, life) end

---from 0 towards 1
---@param age number
---@param half_life number
---@return number
function decay.rise(age, half_life) end

---@class statslib
stats = {}

---how many
---@param list number[]
---@return integer
function stats.count(list) end

---standard deviation of the list itself
---@param list number[]
---@return number
function stats.deviation(list) end

---Jain's index: 1 if all are equal, 1/n if one has everything
---@param list number[]
---@return number
function stats.fairness(list) end

---the largest
---@param list number[]
---@return number
function stats.max(list) end

---the mean
---@param list number[]
---@return number
function stats.mean(list) end

---the median
---@param list number[]
---@return number
function stats.median(list) end

---the smallest
---@param list number[]
---@return number
function stats.min(list) end

---q from 0 to 1
---@param list number[]
---@param q number
---@return number
function stats.quantile(list, q) end

---the sum
---@param list number[]
---@return number
function stats.sum(list) end

---@class unitslib
units = {}

---86400 s
---@type number
units.day = nil

---"1h30m" in seconds
---@param text string
---@return number
function units.duration(text) end

---1
---@type number
units.GiB = nil

---3600 s
---@type number
units.hour = nil

---"80Gi" in GiB
---@param text string
---@return number
function units.memory(text) end

---1/1024 GiB
---@type number
units.MiB = nil

---60 s
---@type number
units.minute = nil

---1
---@type number
units.second = nil

---1024 GiB
---@type number
units.TiB = nil

---604800 s
---@type number
units.week = nil

---@class usagelib
usage = {}

---how far above, 0 if it is not
---@param used number
---@param guarantee number
---@return number
function usage.over(used, guarantee) end

---the part that is used; of no guarantee `otherwise` (1)
---@param used number
---@param guarantee number
---@param otherwise? number
---@return number
function usage.ratio(used, guarantee, otherwise) end

---how far below, 0 if it is not
---@param used number
---@param guarantee number
---@return number
function usage.under(used, guarantee) end

---Of a test: docs/policy-tests.md.
---@class lsched.Decision
---@field kind string
---@field job string
---@field task integer
---@field node string
---@field devices integer[]
---@field gpus number
---@field bundle integer
---@field at number
---@field reason? string
---@field for_job? string
---@field to? string
---@field cost? number

---Of a test: docs/policy-tests.md.
---@class lsched.Waiting
---@field code string
---@field text string
---@field queue string
---@field job string
---@field jobs integer
---@field resource? string
---@field need number
---@field have number
---@field nodes_able integer
---@field nodes_free integer
---@field ["until"] number
---@field limiting_queue? string
---@field evict? string

---Of a test: docs/policy-tests.md.
---@class lsched.Plan
---@field decisions lsched.Decision[]
---@field waiting lsched.Waiting[]
---@field waits table<string, lsched.Waiting>
---@field log string[]
---@field now number
---@field next_wake number
---@field hash string
---@field text string
---@field policy_error? string
---@field instructions integer
---@field jobs_tried integer
---@field nodes_scored integer
---@field partial? boolean
---@field policy_failed? boolean
---@field policy_ejected? boolean

---Write `---@type lsched.Test` above `local test = ...`.
---@class lsched.Test
---@overload fun(name: string, body: fun())
---@field cluster fun(form: table): lsched.TestCluster a new cluster, the top of a scenario as a table
---@field policy fun(policy: string|table, params?: table) the policy of the clusters made after it
---@field placed fun(plan: lsched.Plan, job: string, more?: integer|string): lsched.Decision[] with so many tasks, or on that node
---@field not_placed fun(plan: lsched.Plan, job: string) the plan does not place it
---@field on fun(plan: lsched.Plan, job: string, ...: string) on these nodes and no others
---@field waits fun(plan: lsched.Plan, job: string, code?: string, text?: string): lsched.Waiting for this reason
---@field nominated fun(plan: lsched.Plan, job: string, more?: integer|string): lsched.Decision[] has a claim on room that comes free
---@field evicted fun(plan: lsched.Plan, job: string, why?: string|table): lsched.Decision[] a reason, or {reason, for_job, on, tasks}
---@field not_evicted fun(plan: lsched.Plan, job?: string) it is not; without a job, nobody is
---@field moved fun(plan: lsched.Plan, job: string, why?: string|table): lsched.Decision[] it moves
---@field order fun(plan: lsched.Plan, jobs: string[]) they are placed in this order
---@field policy_error fun(plan: lsched.Plan, text?: string): string the policy failed in this cycle
---@field logged fun(plan: lsched.Plan, text: string): string a line of the policy's log
---@field equal fun(got: any, want: any, message?: string) also for tables
---@field near fun(got: number, want: number, within?: number, message?: string) within 1e-9, or as given
---@field ok fun(value: any, message?: string): any neither false nor nil
---@field fails fun(action: fun(), text?: string): string ends with an error that contains the text

---A cluster of a test.
---@class lsched.TestCluster
---@field schedule fun(self: lsched.TestCluster, at?: string|number|table, more?: table): lsched.Plan a cycle, now or later
---@field advance fun(self: lsched.TestCluster, at: string|number) the clock moves, and nothing else happens
---@field run fun(self: lsched.TestCluster, at: string|number): lsched.Plan[] what a host does until then; the plans that decide something
---@field submit fun(self: lsched.TestCluster, jobs: table) a job or a list of jobs
---@field event fun(self: lsched.TestCluster, event: table): lsched.Plan? a whole event of a scenario
---@field expect fun(self: lsched.TestCluster, expectations: table) as in a scenario
---@field policy fun(self: lsched.TestCluster, policy?: string|table, params?: table): table? another policy from now on; without one, what it is
---@field now fun(self: lsched.TestCluster): number seconds since 1970
---@field explain fun(self: lsched.TestCluster, job: string): string the text of lsched explain
---@field ask fun(self: lsched.TestCluster, hook: "priority"|"preempt_priority"|"weight"|"score"|"time_limit"|"queue_order", job: string, node?: string): number, table what a hook answers now, and the summands of a lifted one
---@field job fun(self: lsched.TestCluster, name: string): table? nil where there is no such job
---@field queue fun(self: lsched.TestCluster, name: string): table? likewise
---@field node fun(self: lsched.TestCluster, name: string): table? likewise
---@field start fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field finish fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field fail fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field running fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field usage fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field priority fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field cordon fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field uncordon fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field add_nodes fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field update_nodes fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field update_jobs fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field remove_nodes fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field add_queues fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field update_queues fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field remove_queues fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field remove_jobs fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field complete fun(self: lsched.TestCluster, what: any) as in an event of a scenario
---@field task_mix fun(self: lsched.TestCluster, what: any) as in an event of a scenario

---@class string: stringlib
