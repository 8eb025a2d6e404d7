/* model_world.c -- see model_world.h. */
#include "support/claims_world.h"
#include "support/days_world.h"
#include "support/lives_world.h"

#include <string.h>
#include "model/image/state.h"
#include "model/life/job_leave.h"
#include "model/pressure/memory_pressure.h"
#include "model/shapes/domain.h"
#include "model/image/image.h"
#include "model/shapes/resource_kind.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/shapes/pool.h"
#include "model/queues/queue.h"
#include "model/jobs/refusal.h"
#include "model/jobs/retry.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/decision_reject.h"
#include "model/jobs/task_row.h"
#include "model/jobs/job_phase.h"
#include "support/inside_world.h"
#include "support/mig_world.h"
#include "support/rules_world.h"

#define US INT64_C(1000000)

static lsched_text text(const char *s) {
    return (lsched_text){s ? s : "", s ? strlen(s) : 0};
}

static int32_t begin(struct model_world *w) {
    if (w->watch) w->before = image_hash(&w->k);
    return undo_begin(&w->k);
}

static int32_t end(struct model_world *w, int32_t rc) {
    if (rc < 0) undo_rollback(&w->k, 0);
    undo_end(&w->k);
    if (rc < 0 && w->watch && image_hash(&w->k) != w->before) w->broken++;
    return rc < 0 ? rc : LSCHED_OK;
}

int32_t world_open(struct model_world *w, const lsched_allocator *hooks) {
    static const char *const kinds[] = {"any", "cpu", "memory", "gpu"};
    memset(w, 0, sizeof *w);
    alloc_init(&w->alloc, hooks, 0);
    int32_t rc = state_open(&w->k, &w->alloc);
    if (rc == LSCHED_OK) rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    for (int i = 0; i < 4 && rc >= 0; i++) rc = kind_add(&w->k, kinds[i], strlen(kinds[i]));
    set_meta(&w->k, M_NOW, 1000 * US);
    return end(w, rc);
}

void world_close(struct model_world *w) {
    state_close(&w->k);
}

static int32_t add_tree(struct model_world *w, const char *name, const char *a, const char *b) {
    lsched_text levels[] = {text(a), text(b)};
    uint32_t row;
    int32_t rc = begin(w);
    return rc == LSCHED_OK ? end(w, topology_add(&w->k, text(name), levels, b ? 2 : 1, 7, &row))
                           : rc;
}

int32_t world_topology(struct model_world *w) {
    return add_tree(w, "site", "zone", "rack");
}

int32_t world_node(struct model_world *w, const char *name, int64_t cpu, uint32_t gpus, int shared,
                   const char *rack, uint32_t *row) {
    static struct node_spec spec; /* large; tests have one thread */
    lsched_label labels[] = {
        {text("disk"), text("ssd")}, {text("rack"), text(rack)}, {text("zone"), text("a")}};
    memset(&spec, 0, sizeof spec);
    spec.name = text(name);
    spec.tag = 11, spec.n_devices = gpus;
    for (uint32_t i = 0; i < gpus; i++)
        spec.devices[i] =
            (struct device_spec){.model = text(shared ? "T4" : "A100"),
                                 .memory_bytes = INT64_C(16) << 30,
                                 .share = shared ? LSCHED_SHARING_FRACTION : LSCHED_SHARING_WHOLE};
    spec.capacity[LSCHED_CPU] = cpu;
    spec.capacity[LSCHED_MEMORY] = INT64_C(1) << 38;
    spec.capacity[LSCHED_GPU] = (int64_t)gpus * 1000;
    spec.labels = labels, spec.n_labels = rack ? 3 : 1, spec.price = 5, spec.power = 9;
    int32_t rc = begin(w);
    return rc == LSCHED_OK ? end(w, node_add(&w->k, &spec, row)) : rc;
}

int32_t world_queue(struct model_world *w, const char *name, uint32_t parent, uint32_t *row) {
    struct queue_spec spec = {.name = text(name),
                              .tag = 3,
                              .parent = parent,
                              .priority = 2,
                              .created = 4,
                              .reclaim_min = 5,
                              .preempt_min = 6};
    for (uint32_t r = 1; r < KINDS_MAX; r++) {
        spec.quota[r] = 8000;
        spec.limit[r] = r == LSCHED_GPU ? 64000 : LSCHED_UNLIMITED;
        spec.weight[r] = 1000;
        spec.lend[r] = LSCHED_UNLIMITED;
    }
    int32_t rc = begin(w);
    return rc == LSCHED_OK ? end(w, queue_add(&w->k, &spec, row)) : rc;
}

static void encode_group(struct bytes *b, const struct group_form *g) {
    lsched_text model = text(g->model), value = text(g->value);
    struct selector_spec selector = {text(g->key), &value, g->value ? 1 : 0};
    struct demand_spec demand[] = {
        {text("cpu"), 0, 500}, {text("cpu"), DAWN_US, g->daily}, {text("memory"), DAWN_US, 5}};
    struct group_spec s = {.parent = g->parent,
                           .n_children = g->children,
                           .min = g->min,
                           .required = text(g->required),
                           .preferred = text(g->preferred),
                           .spread = text(g->spread),
                           .spread_max = g->spread_max,
                           .node_max = g->node_max,
                           .absent = g->absent,
                           .fixed = g->fixed,
                           .mode = g->mode};
    if (!g->children) s.max = g->max ? g->max : 1;
    if (g->zone_slice)
        s.slices[s.n_slices++] = (lsched_slice){.level = text("zone"), .tasks = g->zone_slice};
    if (g->rack_slice)
        s.slices[s.n_slices++] = (lsched_slice){.level = text("rack"), .tasks = g->rack_slice};
    if (g->required || g->preferred || g->spread || s.n_slices) s.topology = text("site");
    int64_t cpu = g->no_cpu ? 0 : g->cpu ? g->cpu : 1000, gpu = (int64_t)g->devices * g->milli;
    const struct amount_spec asked[] = {
        {text("cpu"), cpu}, {text("gpu"), gpu}, {text("memory"), g->memory}};
    for (uint32_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (asked[i].amount) s.task.request[s.task.n_request++] = asked[i];
    s.task.devices = g->devices;
    s.task.device_milli = g->devices ? g->milli : 0;
    s.task.profile = text(g->profile);
    s.task.mig_slices = g->mig_slices;
    s.task.numa = g->numa;
    s.task.nics = g->nics;
    s.task.link = g->link;
    s.task.models = &model;
    s.task.n_models = g->model != NULL;
    s.task.selectors = &selector;
    s.task.n_selectors = g->key != NULL;
    s.task.demand = demand;
    s.task.n_demand = g->daily ? 3 : g->memory != 0;
    s.task.daily = g->daily != 0;
    shape_encode_group(b, &s);
    if (s.n_children) return;
    shape_encode_leaf(b, 1);
    size_t at = shape_begin_task(b);
    shape_encode_task(b, &s.task);
    shape_end_task(b, at);
}

int32_t world_job(struct model_world *w, const struct job_form *form, uint32_t *row) {
    struct bytes b;
    bytes_init(&b, &w->alloc);
    shape_encode_job(&b, form->flags, 0, form->n_groups ? form->n_groups : 1);
    for (uint32_t g = 0; g < (form->n_groups ? form->n_groups : 1); g++)
        encode_group(&b, &form->groups[g]);
    struct job_spec spec = {.name = text(form->name),
                            .tag = 13,
                            .queue = form->queue,
                            .flags = form->flags,
                            .priority = form->priority,
                            .submit = form->submit,
                            .duration = 3600 * US,
                            .deadline = 9999 * US,
                            .restart = form->restart,
                            .checkpoint = form->restart,
                            .backoff = form->backoff,
                            .retries_max = form->retries_max,
                            .shape_bytes = b.p,
                            .shape_n = b.n};
    int32_t rc = b.failed ? LSCHED_E_NOMEM : begin(w);
    if (rc == LSCHED_OK) rc = end(w, job_add(&w->k, &spec, row));
    bytes_close(&b);
    return rc;
}

int32_t world_admit(struct model_world *w, uint32_t job) {
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    bundle_reorder(&w->k, job, -(int64_t)w->k.c[C_JOB_PRIORITY].i32[job]);
    return end(w, job_admit(&w->k, job, NULL));
}

int32_t world_refuse(struct model_world *w, uint32_t job, const char *reason) {
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    uint32_t row = string_get(&w->k, reason, strlen(reason));
    if (row != NO_ROW) job_refuse(&w->k, job, row, 0);
    return end(w, row == NO_ROW ? LSCHED_E_NOMEM : LSCHED_OK);
}

int32_t world_park(struct model_world *w, uint32_t job, uint32_t list, uint32_t list_of,
                   uint32_t code) {
    uint32_t queue = w->k.c[C_JOB_QUEUE].u32[job];
    struct park_reason why = {
        code, LSCHED_CPU, 0, 1000, 10, 2, list == PARKED_QUEUE ? queue : NO_ROW, 0};
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    bundle_park(&w->k, w->k.c[C_JOB_BUNDLE].u32[job], list, list_of, &why);
    return end(w, LSCHED_OK);
}

/* ---- tasks ---- */

int32_t world_propose(struct model_world *w, uint32_t job, uint32_t group, uint32_t node,
                      uint32_t n) {
    struct columns *k = &w->k;
    uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], group), task, decision;
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    uint64_t serial = meta(k, M_GROUP_SERIAL) + 1;
    set_meta(k, M_GROUP_SERIAL, serial);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        if (!node_able(k, node, shape) || !node_fits(k, node, shape)) {
            rc = LSCHED_E_STATE;
            break;
        }
        struct place_spec p = {.job = job,
                               .group = group,
                               .node = node,
                               .index = NO_ROW,
                               .state = LSCHED_TASK_PROPOSED,
                               .now = (int64_t)meta(k, M_NOW),
                               .decision_group = serial};
        if (!device_select(k, node, shape, DEVICE_NOW, NULL, &p.hold)) rc = LSCHED_E_STATE;
        if (rc != LSCHED_OK) break;
        rc = task_place(k, &p, &task, &decision);
    }
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (rc == LSCHED_OK && cost != NO_ROW)
        set_i64(k, C_COST_STALE_SINCE, cost, LSCHED_NEVER_US); /* as a commit does */
    if (rc == LSCHED_OK) rc = job_requeue(k, job);
    return end(w, rc);
}

int32_t world_import(struct model_world *w, uint32_t job, uint32_t index, uint32_t node) {
    struct columns *k = &w->k;
    uint32_t group = job_group_of_task(k, job, index),
             shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], group), task, decision;
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape];
    int excess = !node_able(k, node, shape) || !node_fits(k, node, shape);
    struct place_spec p = {.job = job,
                           .group = group,
                           .node = node,
                           .index = index,
                           .state = LSCHED_TASK_RUNNING,
                           .excess = (uint8_t)excess,
                           .now = 900 * US};
    if (!device_select(k, node, shape, DEVICE_NOW, NULL, &p.hold)) p.hold.mask = (1u << need) - 1;
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    rc = task_place(k, &p, &task, &decision);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    return end(w, rc);
}

int32_t world_confirm(struct model_world *w, uint32_t job, uint32_t index) {
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    task_confirm(&w->k, task_find(&w->k, job, index));
    return end(w, LSCHED_OK);
}

static int32_t world_confirm_eviction(struct model_world *w, uint32_t job, uint32_t index) {
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    task_confirm(&w->k, releasing_find(&w->k, job, index));
    return end(w, LSCHED_OK);
}

int32_t world_start(struct model_world *w, uint32_t job, uint32_t index) {
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    task_start(&w->k, task_find(&w->k, job, index), (int64_t)meta(&w->k, M_NOW));
    return end(w, LSCHED_OK);
}

int32_t world_release(struct model_world *w, uint32_t job, uint32_t index, uint8_t to) {
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    task_release(&w->k, task_find(&w->k, job, index), to);
    return end(w, job_settle_losses(&w->k, job, (int64_t)meta(&w->k, M_NOW), NULL, NULL));
}

/* ---- evictions ---- */

int32_t world_evict(struct model_world *w, uint32_t job, uint32_t index, uint64_t serial,
                    uint8_t reason, uint32_t for_job) {
    struct columns *k = &w->k;
    uint32_t releasing, decision;
    int64_t now = (int64_t)meta(k, M_NOW);
    struct evict_spec s = {
        .now = now, .release_at = now + 60 * US, .cost = 7, .group = serial, .reason = reason};
    if (for_job != NO_ROW)
        s.for_job = (uint64_t)LSCHED_KIND_JOB << 60 | (uint64_t)k->c[C_JOB_GEN].u32[for_job] << 32 |
                    for_job;
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    if (serial > meta(k, M_GROUP_SERIAL)) set_meta(k, M_GROUP_SERIAL, serial);
    rc = task_evict(k, task_find(k, job, index), &s, &releasing, &decision);
    if (rc == LSCHED_OK) future_note(k, s.release_at);
    if (rc == LSCHED_OK) rc = job_settle_losses(k, job, now, NULL, NULL);
    return end(w, rc);
}

/* The eviction of the task is a move from now on. */
static void mark_move(struct columns *k, uint32_t job, uint32_t index, uint64_t serial) {
    uint32_t releasing = releasing_find(k, job, index);
    uint32_t d = releasing == NO_ROW ? NO_ROW : k->c[C_TASK_DECISION].u32[releasing];
    if (d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == serial)
        set_u8(k, C_DECISION_KIND, d, LSCHED_DECIDE_MIGRATE);
}

int32_t world_nominate(struct model_world *w, uint32_t job, uint32_t group, uint32_t node,
                       uint32_t index, uint64_t serial) {
    struct columns *k = &w->k;
    uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], group), task, decision;
    int64_t now = (int64_t)meta(k, M_NOW);
    if (!node_able(k, node, shape) || !node_fits_later(k, node, shape)) return LSCHED_E_STATE;
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    if (serial > meta(k, M_GROUP_SERIAL)) set_meta(k, M_GROUP_SERIAL, serial);
    struct place_spec p = {.job = job,
                           .group = group,
                           .node = node,
                           .index = index,
                           .state = LSCHED_TASK_NOMINATED,
                           .now = now,
                           .decision_group = serial,
                           .at = now + 60 * US};
    device_select(k, node, shape, DEVICE_LATER, NULL, &p.hold);
    rc = task_place(k, &p, &task, &decision);
    if (rc == LSCHED_OK) mark_move(k, job, k->c[C_TASK_INDEX].u32[task], serial);
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (rc == LSCHED_OK && cost != NO_ROW) set_i64(k, C_COST_STALE_SINCE, cost, LSCHED_NEVER_US);
    if (rc == LSCHED_OK) rc = job_requeue(k, job);
    return end(w, rc);
}

int32_t world_seat(struct model_world *w, uint32_t job, uint32_t index) {
    struct columns *k = &w->k;
    uint32_t task = task_find(k, job, index), decision, node = k->c[C_TASK_NODE].u32[task];
    uint32_t shape = task_shape(k, task);
    struct hold old = task_hold(k, task), hold = old;
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    node_coming(k, node, shape, &old, 1, -1);
    set_u16(k, C_TASK_NICS, task, 0);
    int fits = node_fits(k, node, shape);
    if (fits && !device_select_allows(k, node, shape, DEVICE_NOW, &old))
        fits = device_select(k, node, shape, DEVICE_NOW, NULL, &hold);
    undo_rollback(k, 0);
    rc = fits ? task_seat(k, task, &hold, (int64_t)meta(k, M_NOW), &decision) : LSCHED_E_STATE;
    return end(w, rc);
}

int32_t world_left(struct model_world *w, uint32_t job, uint32_t index) {
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    rc = releasing_end(&w->k, releasing_find(&w->k, job, index));
    if (rc == LSCHED_OK)
        rc = job_settle_losses(&w->k, job, (int64_t)meta(&w->k, M_NOW), NULL, NULL);
    return end(w, rc);
}

int32_t world_stuck(struct model_world *w, uint32_t job, uint32_t index) {
    struct columns *k = &w->k;
    uint32_t releasing = releasing_find(k, job, index);
    if (begin(w) != LSCHED_OK) return LSCHED_E_NOMEM;
    releasing_stuck(k, releasing);
    return end(w, node_trim_nominations(k, k->c[C_TASK_NODE].u32[releasing],
                                        (int64_t)meta(k, M_NOW), NULL, NULL));
}

uint32_t world_decision(const struct model_world *w, uint32_t job, uint32_t index, int releasing) {
    uint32_t t = releasing ? releasing_find(&w->k, job, index) : task_find(&w->k, job, index);
    return t == NO_ROW ? NO_ROW : w->k.c[C_TASK_DECISION].u32[t];
}

static void count_told(void *user, uint32_t slot, uint32_t gen) {
    (void)slot;
    (void)gen;
    ++*(uint32_t *)user;
}

int32_t world_reject(struct model_world *w, uint32_t decision, uint32_t *told) {
    uint32_t n = 0;
    int32_t rc = begin(w);
    if (rc == LSCHED_OK) {
        rc = decision_reject(&w->k, decision, (int64_t)meta(&w->k, M_NOW), count_told, &n);
        rc = end(w, rc);
    }
    if (told) *told = n;
    return rc;
}

int32_t world_remove_job(struct model_world *w, uint32_t job) {
    int32_t rc = begin(w);
    if (rc == LSCHED_OK) {
        rc = job_leave(&w->k, job, NULL, NULL);
        rc = end(w, rc);
    }
    return rc;
}

int32_t world_remove_node(struct model_world *w, uint32_t node) {
    struct columns *k = &w->k;
    int32_t rc = begin(w);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && rc == LSCHED_OK;
         t = k->c[C_NODE_TASK_FIRST].u32[node]) {
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        rc = undo_room(k);
        if (rc == LSCHED_OK && k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING)
            rc = releasing_end(k, t);
        else if (rc == LSCHED_OK)
            task_release(k, t, LSCHED_TASK_NONE);
        if (rc == LSCHED_OK) rc = job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
    }
    if (rc == LSCHED_OK) rc = refusals_forget_node(k, node);
    if (rc == LSCHED_OK) {
        memory_pressure_forget(k, node);
        node_remove(k, node);
    }
    return end(w, rc);
}

uint32_t world_job_named(const struct model_world *w, const char *name) {
    return name_find(&w->k, T_IX_JOB, name, strlen(name));
}

uint32_t world_node_named(const struct model_world *w, const char *name) {
    return name_find(&w->k, T_IX_NODE, name, strlen(name));
}

uint32_t world_queue_named(const struct model_world *w, const char *name) {
    return name_find(&w->k, T_IX_QUEUE, name, strlen(name));
}

/* ---- one of everything ---- */

#define TRY(call)                               \
    do {                                        \
        int32_t try_rc = (call);                \
        if (try_rc != LSCHED_OK) return try_rc; \
    } while (0)

static int32_t fill_nodes(struct model_world *w, int reversed) {
    static const struct {
        const char *name;
        int64_t cpu;
        uint32_t gpus;
        int shared;
        const char *rack;
    } nodes[] = {{"n1", 64000, 8, 0, "r1"}, {"n2", 64000, 8, 0, "r1"}, {"n3", 32000, 4, 1, "r2"},
                 {"n4", 16000, 0, 0, NULL}, {"n5", 8000, 1, 1, "r2"},  {"n6", 8000, 0, 0, "r3"},
                 {"n7", 64000, 8, 0, "r3"}, {"n8", 64000, 8, 0, "r1"}, {"na", 8000, 1, 1, "r2"},
                 {"gone", 1000, 2, 1, "r9"}};
    uint32_t n = sizeof nodes / sizeof nodes[0], row;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = reversed ? n - 1 - i : i;
        TRY(world_node(w, nodes[j].name, nodes[j].cpu, nodes[j].gpus, nodes[j].shared,
                       nodes[j].rack, &row));
    }
    TRY(world_remove_node(w, world_node_named(w, "gone")));
    TRY(begin(w));
    node_set_state(&w->k, world_node_named(w, "n6"), LSCHED_NODE_CORDONED);
    return end(w, LSCHED_OK);
}

static int32_t fill_queues(struct model_world *w, int reversed) {
    uint32_t org, row;
    TRY(world_queue(w, "org", NO_ROW, &org));
    TRY(world_queue(w, reversed ? "product" : "research", org, &row));
    TRY(world_queue(w, reversed ? "research" : "product", org, &row));
    TRY(world_queue(w, "gone", NO_ROW, &row));
    TRY(begin(w));
    queue_remove(&w->k, row);
    TRY(end(w, LSCHED_OK));
    return world_queue(w, "alone", NO_ROW, &row);
}

static int32_t submit(struct model_world *w, const char *name, const char *queue, int64_t at,
                      struct group_form g) {
    struct job_form f = {.name = name,
                         .queue = world_queue_named(w, queue),
                         .n_groups = 1,
                         .groups = {g},
                         .submit = at,
                         .restart = at & 1};
    uint32_t row;
    return world_job(w, &f, &row);
}

static int32_t submit_tree(struct model_world *w, const char *name, const char *queue) {
    struct job_form f = {
        .name = name, .queue = world_queue_named(w, queue), .n_groups = 4, .submit = 3};
    f.groups[0] = (struct group_form){.children = 2, .min = 1, .required = "zone"};
    f.groups[1] = (struct group_form){.parent = 0,
                                      .max = 3,
                                      .min = 2,
                                      .required = "rack",
                                      .cpu = 500,
                                      .key = "zone",
                                      .value = "a"};
    f.groups[2] = (struct group_form){.parent = 0, .children = 1, .min = 1, .preferred = "rack"};
    f.groups[3] = (struct group_form){.parent = 2, .max = 2, .min = 1, .cpu = 700, .key = "disk"};
    uint32_t row;
    return world_job(w, &f, &row);
}

static int32_t submit_failing(struct model_world *w) {
    struct job_form f = {.name = "failing",
                         .queue = world_queue_named(w, "product"),
                         .groups = {{.cpu = 10, .min = 1}},
                         .submit = 15,
                         .backoff = 7,
                         .retries_max = 2};
    uint32_t row;
    return world_job(w, &f, &row);
}

static int32_t submit_later(struct model_world *w, uint32_t i) {
    switch (i) {
    case 20:
        return submit(w, "evicted", "product", 17,
                      (struct group_form){.max = 10, .min = 1, .devices = 1, .milli = 250});
    case 21: return submit_failing(w);
    case 22:
        return submit(
            w, "spread", "research", 15,
            (struct group_form){.cpu = 10, .max = 3, .min = 1, .spread = "rack", .spread_max = 1});
    case 25: /* waits for ever */
        return submit(
            w, "sliced", "research", 19,
            (struct group_form){
                .cpu = 12, .max = 8, .min = 4, .mode = 1, .zone_slice = 4, .rack_slice = 2});
    case 23:
        return submit(w, "held", "alone", 18, (struct group_form){.cpu = 11, .max = 3, .min = 1});
    default:
        return submit(w, "gone", "research", 14,
                      (struct group_form){.cpu = 10, .model = "H200", .devices = 1, .milli = 1000});
    }
}

static int32_t submit_one(struct model_world *w, uint32_t i) {
    switch (i) {
    case 0:
        return submit(
            w, "runs", "research", 1,
            (struct group_form){.max = 4, .min = 2, .devices = 2, .milli = 1000, .model = "A100"});
    case 1:
        return submit(w, "parts", "research", 2,
                      (struct group_form){.max = 12, .min = 1, .devices = 1, .milli = 300});
    case 2: return submit_tree(w, "tree", "product");
    case 3:
        return submit(w, "tree-waits", "product", 4,
                      (struct group_form){.max = 2, .min = 2, .required = "rack", .memory = 4096});
    case 4: return submit(w, "equal-1", "product", 5, (struct group_form){.cpu = 2000, .min = 1});
    case 5: return submit(w, "equal-2", "product", 6, (struct group_form){.cpu = 2000, .min = 1});
    case 6: return submit(w, "equal-3", "product", 6, (struct group_form){.cpu = 2000, .min = 1});
    case 7:
        return submit(w, "parked-shape", "alone", 7, (struct group_form){.cpu = 900000, .min = 1});
    case 8:
        return submit(w, "parked-queue", "alone", 8, (struct group_form){.cpu = 3000, .min = 1});
    case 9:
        return submit(w, "parked-never", "alone", 9, (struct group_form){.cpu = 3001, .min = 1});
    case 10:
        return submit(w, "parked-refresh", "alone", 9, (struct group_form){.cpu = 3002, .min = 1});
    case 11: return submit(w, "parked-any", "alone", 9, (struct group_form){.cpu = 3003, .min = 1});
    case 12: return submit(w, "refused", "alone", 10, (struct group_form){.cpu = 100, .min = 1});
    case 13: return submit(w, "new", "alone", 11, (struct group_form){.cpu = 100, .min = 1});
    case 14:
        return submit(w, "imported", "research", 12,
                      (struct group_form){.cpu = 12000, .max = 3, .min = 3});
    case 15:
        return submit(w, "ended", "research", 13,
                      (struct group_form){.cpu = 200, .max = 2, .min = 1});
    case 16: return submit(w, "isolated", "product", 6, (struct group_form){.cpu = 2000, .min = 1});
    case 17:
        return submit(w, "stale", "research", 14,
                      (struct group_form){.cpu = 10, .max = 3, .min = 3});
    case 18:
        return submit(
            w, "moves", "research", 15,
            (struct group_form){.max = 2, .min = 2, .devices = 4, .milli = 1000, .memory = 512});
    case 19:
        return submit(w, "claims", "product", 16,
                      (struct group_form){.devices = 8, .milli = 1000, .cpu = 4000, .min = 1});
    default: return submit_later(w, i);
    }
}

static int32_t fill_jobs(struct model_world *w, int reversed) {
    for (uint32_t i = 0; i < 26; i++) TRY(submit_one(w, reversed ? 25 - i : i));
    TRY(world_remove_job(w, world_job_named(w, "gone")));
    static const char *const admitted[] = {
        "runs",    "parts",        "tree",         "tree-waits",   "equal-1",        "equal-2",
        "equal-3", "parked-shape", "parked-queue", "parked-never", "parked-refresh", "parked-any",
        "ended",   "isolated",     "stale",        "moves",        "claims",         "evicted",
        "failing", "spread",       "held"};
    for (uint32_t i = 0, n = sizeof admitted / sizeof admitted[0]; i < n; i++)
        TRY(world_admit(w, world_job_named(w, admitted[reversed ? n - 1 - i : i])));
    TRY(begin(w));
    TRY(end(w, job_isolate(&w->k, world_job_named(w, "isolated"))));
    return world_refuse(w, world_job_named(w, "refused"), "not today");
}

static int32_t fill_parked(struct model_world *w) {
    const struct columns *k = &w->k;
    uint32_t job = world_job_named(w, "parked-shape"),
             shape = group_shape(k, k->c[C_JOB_SHAPE].u32[job], 0);
    TRY(world_park(w, job, PARKED_SHAPE, shape, LSCHED_WAIT_ROOM));
    TRY(world_park(w, world_job_named(w, "parked-queue"), PARKED_QUEUE,
                   world_queue_named(w, "alone"), LSCHED_WAIT_LIMIT));
    TRY(world_park(w, world_job_named(w, "parked-never"), PARKED_NEVER, 0, LSCHED_WAIT_NEVER_FITS));
    TRY(world_park(w, world_job_named(w, "parked-refresh"), PARKED_REFRESH, 0, LSCHED_WAIT_POLICY));
    TRY(world_park(w, world_job_named(w, "parked-any"), PARKED_ANY, 0, LSCHED_WAIT_GANG));
    job = world_job_named(w, "failing");
    TRY(begin(w));
    TRY(end(w, retry_failed(&w->k, job, world_node_named(w, "n2"), 1, 5)));
    TRY(begin(w));
    int32_t parked = retry_park(&w->k, job, 6);
    TRY(end(w, parked == 1 ? LSCHED_OK : parked < 0 ? parked : LSCHED_E_STATE));
    shape = group_shape(k, k->c[C_JOB_SHAPE].u32[world_job_named(w, "tree-waits")], 0);
    return world_park(w, world_job_named(w, "tree-waits"), PARKED_SHAPE, shape,
                      LSCHED_WAIT_TOPOLOGY);
}

static int32_t usage(struct model_world *w, uint32_t task, uint32_t kind, int64_t amount) {
    struct columns *k = &w->k;
    TRY(begin(w));
    uint32_t u = row_new(k, T_USAGE);
    if (u == NO_ROW) return end(w, LSCHED_E_NOMEM);
    set_u32(k, C_USAGE_TASK, u, task);
    set_u32(k, C_USAGE_KIND, u, kind);
    set_u32(k, C_USAGE_NEXT, u, k->c[C_TASK_USAGE].u32[task]);
    set_i64(k, C_USAGE_AMOUNT, u, amount);
    set_i64(k, C_USAGE_AT, u, 5 * US);
    set_u32(k, C_TASK_USAGE, task, u);
    return end(w, LSCHED_OK);
}

/* Memory of its device ran out, and it waits. */
static int32_t pause_task(struct model_world *w, uint32_t task) {
    struct columns *k = &w->k;
    struct memory_pressure_spec s = {.node = k->c[C_TASK_NODE].u32[task],
                                     .device = device_set_first(task_device_set(k, task)),
                                     .at = (int64_t)meta(k, M_NOW)};
    uint32_t decision;
    TRY(begin(w));
    int32_t rc = memory_pressure_note(k, &s);
    if (rc == LSCHED_OK) rc = task_go_out(k, task, LSCHED_DECIDE_PAUSE, 1, s.at, &decision);
    if (rc == LSCHED_OK) task_out_settle(k, task, 1);
    return end(w, rc);
}

static int32_t fill_tasks(struct model_world *w) {
    uint32_t runs = world_job_named(w, "runs"), parts = world_job_named(w, "parts"),
             tree = world_job_named(w, "tree");
    uint32_t n1 = world_node_named(w, "n1"), n3 = world_node_named(w, "n3"),
             n4 = world_node_named(w, "n4");
    TRY(world_propose(w, world_job_named(w, "spread"), 0, n1, 1));
    TRY(world_propose(w, world_job_named(w, "spread"), 0, n3, 1));
    TRY(world_propose(w, runs, 0, n1, 3));
    TRY(world_start(w, runs, 0));
    TRY(world_confirm(w, runs, 1));
    TRY(world_propose(w, parts, 0, n3, 11));
    for (uint32_t i = 0; i < 10; i++) TRY(world_start(w, parts, i));
    TRY(pause_task(w, task_find(&w->k, parts, 0)));
    TRY(world_release(w, parts, 4, LSCHED_TASK_NONE));
    TRY(world_release(w, parts, 5, LSCHED_TASK_DONE));
    TRY(world_propose(w, tree, 1, n3, 2));
    TRY(world_start(w, tree, 1));
    TRY(world_propose(w, tree, 3, n1, 1));
    uint32_t ended = world_job_named(w, "ended"), stale = world_job_named(w, "stale"),
             imported = world_job_named(w, "imported");
    TRY(world_propose(w, ended, 0, n4, 2));
    TRY(world_start(w, ended, 0));
    TRY(world_start(w, ended, 1));
    TRY(world_release(w, ended, 1, LSCHED_TASK_DONE));
    TRY(world_propose(w, stale, 0, n4, 3));
    for (uint32_t i = 0; i < 3; i++) TRY(world_start(w, stale, i));
    TRY(world_release(w, stale, 0, LSCHED_TASK_NONE));
    TRY(world_import(w, imported, 2, n4));
    TRY(world_import(w, imported, 0, n4));
    TRY(usage(w, task_find(&w->k, runs, 0), LSCHED_GPU, 1500));
    return usage(w, task_find(&w->k, runs, 0), LSCHED_CPU, 700);
}

/* A gang that moves to seat another; what was asked to stop before, one of it overdue. */
static int32_t fill_evictions(struct model_world *w) {
    uint32_t moves = world_job_named(w, "moves"), claims = world_job_named(w, "claims"),
             evicted = world_job_named(w, "evicted");
    uint32_t n2 = world_node_named(w, "n2"), n3 = world_node_named(w, "n3"),
             n5 = world_node_named(w, "n5"), n7 = world_node_named(w, "n7");
    TRY(world_propose(w, moves, 0, n2, 2));
    for (uint32_t i = 0; i < 2; i++) TRY(world_start(w, moves, i));
    TRY(world_propose(w, evicted, 0, n3, 1));
    TRY(world_propose(w, evicted, 0, n5, 3));
    for (uint32_t i = 0; i < 4; i++) TRY(world_start(w, evicted, i));
    TRY(usage(w, task_find(&w->k, evicted, 1), LSCHED_GPU, 100));
    uint64_t serial = meta(&w->k, M_GROUP_SERIAL) + 1;
    TRY(world_evict(w, evicted, 1, serial, LSCHED_FOR_RECLAIM, claims));
    TRY(world_confirm_eviction(w, evicted, 1));
    TRY(world_evict(w, evicted, 2, 0, LSCHED_FOR_NONE, NO_ROW));
    TRY(world_stuck(w, evicted, 2));
    serial++;
    for (uint32_t i = 0; i < 2; i++)
        TRY(world_evict(w, moves, i, serial, LSCHED_FOR_CONSOLIDATE, claims));
    for (uint32_t i = 0; i < 2; i++) TRY(world_nominate(w, moves, 0, n7, i, serial));
    return world_nominate(w, claims, 0, n2, NO_ROW, serial);
}

/* Limits of what runs, of what is held and of what waits; another minimum. */
static int32_t fill_limits(struct model_world *w) {
    struct columns *k = &w->k;
    uint32_t held = world_job_named(w, "held");
    static const char *const limited[] = {"runs", "parts", "stale", "imported", "ended", "equal-1"};
    for (uint32_t i = 0; i < sizeof limited / sizeof limited[0]; i++) {
        TRY(begin(w));
        TRY(end(w, job_limits_set(k, world_job_named(w, limited[i]), (int64_t)(10 + i % 3) * US)));
    }
    TRY(begin(w));
    set_i64(k, C_WATCH_LIMIT, k->c[C_JOB_WATCH].u32[world_job_named(w, "runs")], 9 * US);
    TRY(end(w, job_limits_spare(k, world_job_named(w, "stale"), 2000 * US)));
    TRY(begin(w));
    TRY(end(w, job_hold(k, world_job_named(w, "evicted"), LSCHED_HELD_IDLE, 3 * US)));
    TRY(begin(w));
    int32_t rc = job_set_minimum(k, held, 2);
    if (rc == LSCHED_OK) rc = job_hold(k, held, LSCHED_HELD_TIME_LIMIT, 4 * US);
    return end(w, rc == LSCHED_OK ? job_requeue(k, held) : rc);
}

/* Parts of gpu: on one model; in a pool that some nodes are in, and with a MIG profile. */
static int32_t fill_parts(struct model_world *w) {
    struct columns *k = &w->k;
    struct resource_part_spec of_model = {.base = LSCHED_GPU, .model = {"T4", 2}, .pool = NO_ROW},
                              of_pool = {.base = LSCHED_GPU, .profile = {"1g.10gb", 7}};
    lsched_label labels[] = {{text("disk"), text("ssd")}, {text("rack"), text("r1")}};
    int32_t rc = pool_add(k, text("near"), labels, 2, 77, &of_pool.pool);
    int32_t kind = rc == LSCHED_OK ? resource_part_add(k, text("gpu:T4"), &of_model) : rc;
    rc = kind < 0 ? kind
                  : resource_part_set(k, world_queue_named(w, "research"), (uint32_t)kind, 2000,
                                      LSCHED_UNLIMITED);
    if (rc == LSCHED_OK) kind = resource_part_add(k, text("1g:near"), &of_pool);
    return kind < 0 ? kind : rc;
}

/* The mix, and timers, which no call makes. */
static int32_t fill_rest(struct model_world *w) {
    struct columns *k = &w->k;
    TRY(begin(w));
    int32_t rc = fill_parts(w);
    if (rc != LSCHED_OK) return end(w, rc);
    uint32_t mix = row_new(k, T_MIX), first = rows_append(k, T_TIMER, 2),
             blob = group_shape(k, k->c[C_JOB_SHAPE].u32[world_job_named(w, "runs")], 0);
    if (mix == NO_ROW || first == NO_ROW) return end(w, LSCHED_E_NOMEM);
    intern_hold(k, T_SHAPE, blob);
    set_u32(k, C_MIX_SHAPE, mix, blob);
    set_i64(k, C_MIX_COUNT, mix, 17);
    set_i64(k, C_TIMER_AT, first, 5);
    set_i64(k, C_TIMER_AT, first + 1, 6);
    return end(w, LSCHED_OK);
}

int32_t world_fill(struct model_world *w, int reversed) {
    TRY(world_topology(w));
    TRY(fill_nodes(w, reversed));
    TRY(add_tree(w, "disks", "disk", NULL));
    TRY(fill_queues(w, reversed));
    TRY(fill_jobs(w, reversed));
    TRY(fill_tasks(w));
    TRY(fill_evictions(w));
    TRY(lives_fill(w));
    TRY(inside_fill(w));
    TRY(mig_fill(w));
    TRY(rules_fill(w));
    TRY(claims_fill(w));
    TRY(days_fill(w));
    TRY(fill_limits(w));
    TRY(fill_parked(w));
    TRY(holds_fill(w));
    TRY(refusals_fill(w));
    TRY(fill_rest(w));
    TRY(allowances_fill(w)); /* and reservations_fill() */
    return contention_fill(w);
}
