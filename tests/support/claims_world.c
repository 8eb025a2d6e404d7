/* claims_world.c -- see claims_world.h. What the selector says stands here instead of being asked: the model never asks. */
#include "support/claims_world.h"

#include <string.h>

#include "model/devices/device_match.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/shapes/device_selector.h"
#include "model/jobs/task.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job.h"

#define TRY(call)                         \
    do {                                  \
        int32_t rc_ = (call);             \
        if (rc_ != LSCHED_OK) return rc_; \
    } while (0)

static const char selector_text[] = "device.memory > 1 and device.attributes.root == 'a'";

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static int32_t end(struct model_world *w, int32_t rc) {
    if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
    undo_end(&w->k);
    return rc;
}

static int32_t add_node(struct model_world *w, uint32_t *row) {
    static struct node_spec spec; /* large; tests have one thread */
    static const lsched_label a[] = {{{"root", 4}, {"a", 1}}}, b[] = {{{"root", 4}, {"b", 1}}};
    memset(&spec, 0, sizeof spec);
    spec.name = text("claimed");
    spec.n_devices = 4;
    for (uint32_t i = 0; i < 4; i++)
        spec.devices[i] = (struct device_spec){.model = {"L4", 2},
                                               .memory_bytes = INT64_C(24) << 30,
                                               .attributes = i < 2 ? a : b,
                                               .n_attributes = 1};
    spec.capacity[LSCHED_CPU] = 50000;
    spec.capacity[LSCHED_GPU] = 4000;
    TRY(undo_begin(&w->k));
    return end(w, node_add(&w->k, &spec, row));
}

/* Two alternatives: a model that nobody has, or two devices that the selector takes and that match. */
static void encode_leaf(struct bytes *b) {
    lsched_text model = text("none"), match = text("root");
    struct group_spec g = {.min = 1, .max = 2};
    struct task_spec t = {.devices = 2, .device_milli = 1000, .models = &model, .n_models = 1};
    t.request[t.n_request++] = (struct amount_spec){text("gpu"), 2000};
    shape_encode_group(b, &g);
    shape_encode_leaf(b, 2);
    for (int a = 0; a < 2; a++) {
        size_t at = shape_begin_task(b);
        shape_encode_task(b, &t);
        shape_end_task(b, at);
        t.n_models = 0;
        t.selector = text(selector_text);
        t.match = &match;
        t.n_match = 1;
    }
}

static int32_t answer(struct columns *k, uint32_t node) {
    static const struct selector_span parts[] = {{0, 17}, {22, 29}};
    uint32_t selector = intern_find(k, T_SELECTOR, selector_text, sizeof selector_text - 1),
             first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    int32_t rc = device_selector_put_parts(k, selector, parts, 2);
    for (uint32_t c = 0; c < table_rows(k, T_DEVCLASS) && rc == LSCHED_OK; c++)
        if (row_is_live(k, T_DEVCLASS, c))
            rc = device_selector_put_answer(k, selector, c,
                                            c == k->c[C_DEVICE_CLASS].u16[first]
                                                ? SELECTOR_TAKES
                                                : (SELECTOR_PART + 1) | SELECTOR_LACKS);
    return rc;
}

static int32_t add_job(struct model_world *w, const char *name, uint32_t node, uint32_t *job) {
    struct bytes b;
    bytes_init(&b, &w->alloc);
    shape_encode_job(&b, 0, 0, 1);
    encode_leaf(&b);
    struct job_spec spec = {.name = text(name),
                            .queue = world_queue_named(w, "research"),
                            .submit = 18,
                            .shape_bytes = b.p,
                            .shape_n = b.n};
    int32_t rc = b.failed ? LSCHED_E_NOMEM : undo_begin(&w->k);
    if (rc == LSCHED_OK) {
        rc = job_add(&w->k, &spec, job);
        if (rc == LSCHED_OK) rc = answer(&w->k, node);
        rc = end(w, rc);
    }
    bytes_close(&b);
    return rc == LSCHED_OK ? world_admit(w, *job) : rc;
}

static int32_t place(struct model_world *w, uint32_t job, uint32_t node) {
    struct columns *k = &w->k;
    uint32_t task, decision, row = group_row(k, k->c[C_JOB_SHAPE].u32[job], 0);
    struct place_spec p = {.job = job,
                           .alternative = 1,
                           .node = node,
                           .index = NO_ROW,
                           .state = LSCHED_TASK_PROPOSED,
                           .now = (int64_t)meta(k, M_NOW)};
    TRY(undo_begin(k));
    int32_t rc = LSCHED_E_STATE;
    p.decision_group = meta(k, M_GROUP_SERIAL) + 1;
    set_meta(k, M_GROUP_SERIAL, p.decision_group);
    if (device_select(k, node, group_alternative(k, row, 1), DEVICE_NOW, NULL, &p.hold))
        rc = task_place(k, &p, &task, &decision);
    if (rc == LSCHED_OK) rc = job_requeue(k, job);
    return end(w, rc);
}

int32_t claims_fill(struct model_world *w) {
    uint32_t node, runs, waits;
    TRY(add_node(w, &node));
    TRY(add_job(w, "choosy", node, &runs));
    TRY(add_job(w, "choosy-waits", node, &waits));
    TRY(place(w, runs, node));
    return world_start(w, runs, 0);
}
