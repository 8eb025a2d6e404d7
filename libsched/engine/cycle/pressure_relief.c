/* pressure_relief.c -- see pressure_relief.h. */
#include "engine/cycle/pressure_relief.h"

#include "base/times.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/actions/evict.h"
#include "engine/policy_hooks/hook_victims.h"
#include "model/pressure/memory_pressure.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"
#include "model/jobs/losses.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/resizes/resize.h"
#include "model/told/change_feed.h"
#include "model/devices/device.h"
#include "engine/state/withdraw_decision.h"

/* ---- choosing the task that yields ---- */

struct giver {
    uint32_t task;
    int bursts, firm;
    int64_t idle, memory;
};

/* Returns how long the task has been idle: the time since a usage sample last showed it busy.
 * Returns 0 if the task has no samples. */
static int64_t idle_us(const struct lsched_cycle *cy, uint32_t task) {
    const struct columns *k = cy->k;
    uint32_t u = k->c[C_TASK_USAGE].u32[task];
    while (u != NO_ROW && k->c[C_USAGE_KIND].u32[u] != LSCHED_GPU) u = k->c[C_USAGE_NEXT].u32[u];
    if (u == NO_ROW) return 0;
    int64_t busy = k->c[C_USAGE_BUSY_AT].i64[u], start = k->c[C_TASK_START].i64[task],
            from = busy > start ? busy : start;
    return cy->now > from ? cy->now - from : 0;
}

/* True if the task can yield memory of the device. An open RESIZE or WARN does not keep it from
 * that: a device without memory is urgent, so that decision is withdrawn, as an eviction withdraws
 * it. */
static int may_give(const struct lsched_cycle *cy, uint32_t task, uint32_t device) {
    const struct columns *k = cy->k;
    return k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING &&
           k->c[C_TASK_OUT].u8[task] == MEMORY_STATE_NORMAL &&
           (k->c[C_TASK_DECISION].u32[task] == NO_ROW || resize_is_open(k, task) ||
            decision_warns(k, task)) &&
           device_set_has(task_device_set(k, task), device) &&
           !job_cost_refused_until(k, k->c[C_TASK_JOB].u32[task], cy->now,
                                   cycle_eviction(cy)->grace_us);
}

static struct giver giver_of(const struct lsched_cycle *cy, uint32_t task, uint32_t device) {
    const struct columns *k = cy->k;
    struct device_part part;
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[k->c[C_TASK_NODE].u32[task]] + device,
             shape = task_shape(k, task);
    device_need(k, d, shape, &part);
    return (struct giver){.task = task,
                          .bursts = k->c[C_SHAPE_DEVICE_LIMIT].i64[shape] >
                                    k->c[C_SHAPE_DEVICE_MEM].i64[shape],
                          .firm = job_is_firm(k, k->c[C_TASK_JOB].u32[task]) != 0,
                          .idle = idle_us(cy, task),
                          .memory = part.memory};
}

/* True if task a yields before task b. */
static int pressure_relief_goes_first(const struct columns *k, const struct giver *a,
                                      const struct giver *b) {
    uint32_t x = k->c[C_TASK_JOB].u32[a->task], z = k->c[C_TASK_JOB].u32[b->task];
    int32_t p = k->c[C_JOB_PRIORITY].i32[x], q = k->c[C_JOB_PRIORITY].i32[z];
    if (a->firm != b->firm) return b->firm;
    if (a->bursts != b->bursts) return a->bursts;
    if (p != q) return p < q;
    if (a->idle != b->idle) return a->idle > b->idle;
    int64_t s = k->c[C_TASK_START].i64[a->task], t = k->c[C_TASK_START].i64[b->task];
    if (s != t) return s > t;
    s = k->c[C_JOB_SUBMIT].i64[x];
    t = k->c[C_JOB_SUBMIT].i64[z];
    if (s != t) return s > t;
    int c = text_compare(k, k->c[C_JOB_NAME].u32[x], k->c[C_JOB_NAME].u32[z]);
    return c ? c > 0 : k->c[C_TASK_INDEX].u32[a->task] > k->c[C_TASK_INDEX].u32[b->task];
}

/* Returns the number of tasks that are active on the device. Stores in *best the task that yields
 * first; best->task is NO_ROW if no task can yield. */
static uint32_t find_giver(const struct lsched_cycle *cy, uint32_t node, uint32_t device,
                           struct giver *best) {
    const struct columns *k = cy->k;
    uint32_t in = 0;
    best->task = NO_ROW;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        in += task_holds(state) && state != LSCHED_TASK_RELEASING && !task_is_out(k, t) &&
              device_set_has(task_device_set(k, t), device);
        if (!may_give(cy, t, device)) continue;
        struct giver g = giver_of(cy, t, device);
        if (best->task == NO_ROW || pressure_relief_goes_first(k, &g, best)) *best = g;
    }
    return in;
}

/* Returns the task that asked for the memory, if this task can yield itself; otherwise NO_ROW. */
static uint32_t asker_of(const struct lsched_cycle *cy, uint32_t c) {
    const struct columns *k = cy->k;
    uint64_t id = k->c[C_COLLISION_JOB].u64[c];
    uint32_t job = (uint32_t)id;
    if (id == 0 || !row_is_live(k, T_JOB, job) || id_make(k, LSCHED_KIND_JOB, job) != id)
        return NO_ROW;
    uint32_t t = task_find(k, job, k->c[C_COLLISION_INDEX].u32[c]);
    if (t == NO_ROW || k->c[C_TASK_NODE].u32[t] != k->c[C_COLLISION_NODE].u32[c]) return NO_ROW;
    return may_give(cy, t, k->c[C_COLLISION_DEVICE].u32[c]) ? t : NO_ROW;
}

/* ---- making the task yield ---- */

static uint64_t next_group(struct lsched_cycle *cy) {
    cy->turn.group_serial = meta(cy->k, M_GROUP_SERIAL) + 1;
    set_meta(cy->k, M_GROUP_SERIAL, cy->turn.group_serial);
    return cy->turn.group_serial;
}

/* True if the plan has room for n more decisions. */
static int may_decide(struct lsched_cycle *cy, uint64_t n) {
    act_spend(cy, 1);
    if (cy->spend.decisions_left < n) act_is_full(cy);
    return !cy->spend.stop;
}

/* Adds a decision, before which an open RESIZE or WARN of the task is withdrawn: returns 1, or 0 if
 * the plan is full. */
static int32_t decide(struct lsched_cycle *cy, uint32_t task, uint32_t kind) {
    struct columns *k = cy->k;
    uint32_t decision, open = k->c[C_TASK_DECISION].u32[task];
    if (!may_decide(cy, 1)) return 0;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (open != NO_ROW) withdraw_decision_note(cy, open, k->c[C_DECISION_GEN].u32[open]);
    uint32_t why = change_feed_because(k, LSCHED_BECAUSE_EVICTION);
    rc = task_go_out(k, task, kind, next_group(cy), cy->now, &decision);
    change_feed_because(k, why);
    if (rc == LSCHED_OK && cy->decisions.out_of_memory) rc = LSCHED_E_NOMEM;
    if (rc == LSCHED_OK) rc = cycle_fresh_add(cy, decision);
    if (rc != LSCHED_OK) return rc;
    cy->spend.decisions_left--;
    return 1;
}

/* Returns how many tasks must be evicted so that the task is evicted: 1 if its leaf group can
 * spare it, otherwise the number of all tasks of the job. Returns 0 if all tasks would have to be
 * evicted but some of them do not run. */
static uint32_t tasks_to_evict(const struct columns *k, uint32_t task) {
    uint32_t job = k->c[C_TASK_JOB].u32[task],
             group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
    uint32_t min = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[job], group)];
    struct job_counts n = job_count(k, job);
    if (job_leaf_held(k, job, group) > min) return 1;
    return n.placed == n.running ? n.running : 0;
}

static int32_t evict_giver(struct lsched_cycle *cy, uint32_t task, uint32_t tasks) {
    struct columns *k = cy->k;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    if (!may_decide(cy, tasks)) return 0;
    next_group(cy);
    int32_t rc =
        evict_running(cy, job, tasks == 1 ? task : NO_ROW, LSCHED_FOR_COLLISION, UINT64_MAX);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, cy->now, withdraw_decision_note, cy);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Makes the task yield. If the policy says evict but the gang is too large for one plan, or if the
 * orchestrator does not ask for what the policy says, the task is paused instead. Returns 1 if
 * the report is answered, 0 if the plan is full, or an error. */
static int32_t give_way(struct lsched_cycle *cy, const struct giver *g) {
    uint32_t how = cycle_eviction(cy)->collision, tasks = tasks_to_evict(cy->k, g->task);
    if (g->firm || !hook_lets_evict(cy) ||
        (how == POLICY_COLLISION_EVICT && (tasks == 0 || tasks > cy->spend.decisions_max)))
        how = POLICY_COLLISION_WAIT;
    if ((how == POLICY_COLLISION_EVICT && !decision_kinds_allow(cy, KINDS_TO_STOP)) ||
        (how == POLICY_COLLISION_SWAP && !decision_kinds_allow(cy, 1u << LSCHED_DECIDE_SUSPEND)))
        how = POLICY_COLLISION_WAIT;
    if (how == POLICY_COLLISION_EVICT) return evict_giver(cy, g->task, tasks);
    if (how == POLICY_COLLISION_WAIT && !decision_kinds_allow(cy, 1u << LSCHED_DECIDE_PAUSE))
        return 1; /* nothing that the orchestrator carries out would help */
    return decide(cy, g->task,
                  how == POLICY_COLLISION_SWAP ? LSCHED_DECIDE_SUSPEND : LSCHED_DECIDE_PAUSE);
}

/* Resolves the memory pressure of one device. If the report does not say how many bytes are
 * needed, one task yields; if that is not enough, the orchestrator reports again. With
 * POLICY_COLLISION_WAIT, only one task yields as well, because a paused task keeps its memory. */
static int32_t resolve(struct lsched_cycle *cy, uint32_t c) {
    struct columns *k = cy->k;
    uint32_t node = k->c[C_COLLISION_NODE].u32[c], device = k->c[C_COLLISION_DEVICE].u32[c];
    int64_t need = k->c[C_COLLISION_NEED].i64[c], freed = 0;
    int waits = cycle_eviction(cy)->collision == POLICY_COLLISION_WAIT;
    uint32_t asker = waits ? asker_of(cy, c) : NO_ROW;
    struct giver g;
    do {
        if (find_giver(cy, node, device, &g) < 2 || g.task == NO_ROW) break;
        if (asker != NO_ROW) g = giver_of(cy, asker, device);
        int32_t rc = give_way(cy, &g);
        if (rc <= 0) return rc;
        freed += g.memory;
    } while (!waits && freed < need);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) set_u8(k, C_COLLISION_FRESH, c, 0);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Returns the new report that is handled first, NO_ROW if there is none. Reports are sorted by the
 * name of the node, then by the device. */
static uint32_t first_fresh(const struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    uint32_t best = NO_ROW;
    uint64_t least = UINT64_MAX;
    for (uint32_t c = 0; c < table_rows(k, T_COLLISION); c++) {
        if (!row_is_live(k, T_COLLISION, c) || !k->c[C_COLLISION_FRESH].u8[c]) continue;
        uint64_t key = (uint64_t)cy->c->view.rank[k->c[C_COLLISION_NODE].u32[c]] << 8 |
                       k->c[C_COLLISION_DEVICE].u32[c];
        if (key >= least) continue;
        best = c;
        least = key;
    }
    return best;
}

/* ---- resuming tasks ---- */

/* Among the paused and swapped-out tasks on the node that can resume now, returns the task that
 * resumes first. It is the task that comes last in the order in which tasks yield. */
static uint32_t find_returning(const struct lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    struct giver best = {.task = NO_ROW};
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING || !task_is_out(k, t) ||
            k->c[C_TASK_DECISION].u32[t] != NO_ROW || !memory_pressure_lets_back(k, t))
            continue;
        struct giver g = {.task = t, .firm = job_is_firm(k, k->c[C_TASK_JOB].u32[t]) != 0};
        if (best.task == NO_ROW || pressure_relief_goes_first(k, &best, &g)) best = g;
    }
    return best.task;
}

/* Among the nodes that have gained room (all: among all nodes) and have a report of memory
 * pressure, returns the rank of the first one after rank `after` in name order; NO_ROW if there is
 * none. */
static uint32_t next_grown(const struct lsched_cycle *cy, int64_t after, int all) {
    const struct columns *k = cy->k;
    uint32_t best = NO_ROW;
    for (uint32_t c = 0; c < table_rows(k, T_COLLISION); c++) {
        if (!row_is_live(k, T_COLLISION, c)) continue;
        uint32_t node = k->c[C_COLLISION_NODE].u32[c], rank = cy->c->view.rank[node];
        if ((all || k->c[C_NODE_GREW].u8[node]) && rank > after && rank < best) best = rank;
    }
    return best;
}

static int32_t come_back(struct lsched_cycle *cy) {
    int64_t rank = -1;
    /* nodes can have gained room in earlier cycles that were not allowed to resume tasks */
    int all = (cy->kinds_lack >> LSCHED_DECIDE_RESUME & 1) != 0;
    if (!decision_kinds_allow(cy, 1u << LSCHED_DECIDE_RESUME)) return LSCHED_OK;
    for (uint32_t next; (next = next_grown(cy, rank, all)) != NO_ROW; rank = next) {
        uint32_t node = cy->c->view.by_rank[next];
        for (uint32_t t; (t = find_returning(cy, node)) != NO_ROW;) {
            int32_t rc = decide(cy, t, LSCHED_DECIDE_RESUME);
            if (rc <= 0) return rc;
        }
    }
    cy->kinds_lack &= ~(1u << LSCHED_DECIDE_RESUME);
    return LSCHED_OK;
}

int32_t pressure_relief(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    if (table_live(k, T_COLLISION) == 0) return LSCHED_OK;
    /* stays set until come_back() has looked at all nodes */
    cy->kinds_lack |= (uint32_t)meta(k, M_KINDS_LACK) & 1u << LSCHED_DECIDE_RESUME;
    int32_t rc = view_update_ranked(&cy->c->view, k, cy->now);
    for (uint32_t c; rc == LSCHED_OK && (c = first_fresh(cy)) != NO_ROW;) {
        rc = resolve(cy, c);
        if (rc == 0) return LSCHED_OK; /* the plan is full: the next cycle continues */
        if (rc == 1) rc = LSCHED_OK;
    }
    if (rc == LSCHED_OK) rc = come_back(cy);
    return rc == LSCHED_OK ? memory_pressure_tidy(k) : rc;
}
