/* rules_world.c -- see rules_world.h. */
#include "support/rules_world.h"

#include <string.h>

#include "api/forms/node_taints.h"
#include "model/jobs/job.h"
#include "model/jobs/bundle.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"

#define TRY(call)                         \
    do {                                  \
        int32_t rc_ = (call);             \
        if (rc_ != LSCHED_OK) return rc_; \
    } while (0)

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static int32_t scope(struct model_world *w, int32_t rc) {
    if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
    undo_end(&w->k);
    return rc;
}

static int32_t add_node(struct model_world *w, const char *name, uint8_t state, uint32_t *row) {
    static struct node_spec spec; /* large; tests have one thread */
    lsched_label labels[] = {{text("rack"), text("r9")}, {text("zone"), text("b")}};
    memset(&spec, 0, sizeof spec);
    spec.name = text(name);
    spec.state = state;
    spec.capacity[LSCHED_CPU] = 3000;
    spec.capacity[LSCHED_MEMORY] = INT64_C(1) << 30;
    spec.labels = labels;
    spec.n_labels = 2;
    spec.tasks_max = 9;
    int32_t rc = undo_begin(&w->k);
    return rc == LSCHED_OK ? scope(w, node_add(&w->k, &spec, row)) : rc;
}

static void put_taint(struct bytes *b, const char *key, const char *value, uint32_t effect,
                      int64_t since) {
    bytes_text(b, text(key));
    bytes_text(b, text(value));
    bytes_u32(b, effect);
    bytes_i64(b, since);
}

static int32_t taint(struct model_world *w, uint32_t node) {
    struct bytes b;
    bytes_init(&b, &w->alloc);
    bytes_u32(&b, 2);
    put_taint(&b, "hot", "yes", LSCHED_TAINT_STOP, 5);
    put_taint(&b, "old", "", LSCHED_TAINT_AVOID, 0);
    struct node_rules_change to = {.sets_taints = 1, .taints = &b};
    int32_t rc = b.failed ? LSCHED_E_NOMEM : undo_begin(&w->k);
    if (rc == LSCHED_OK) {
        rc = node_set_rules(&w->k, node, &to);
        if (rc == LSCHED_OK) rc = node_rules_changed(&w->k, node);
        rc = scope(w, rc);
    }
    bytes_close(&b);
    return rc;
}

/* One toleration of everything; a required and a preferred term about nodes; apart from app=api by rack, near app=db on a node. */
static void put_rules(struct bytes *b, int near) {
    bytes_u32(b, 1);
    bytes_text(b, text(""));
    bytes_text(b, text(""));
    bytes_u32(b, LSCHED_TOLERATES_ANY_EFFECT);
    bytes_u32(b, 1);
    bytes_i64(b, 0);
    bytes_u32(b, 2);
    for (uint32_t weight = 0; weight < 14; weight += 7) {
        bytes_u32(b, weight);
        bytes_u32(b, 1);
        bytes_text(b, text("rack"));
        bytes_u32(b, LSCHED_LABEL_IN);
        bytes_u32(b, 1);
        bytes_text(b, text("r9"));
    }
    bytes_u32(b, 1);
    bytes_u32(b, !near);
    bytes_u32(b, 0);
    bytes_text(b, text(near ? "" : "site"));
    bytes_text(b, text(near ? "" : "rack"));
    bytes_u32(b, 1);
    bytes_text(b, text("app"));
    bytes_text(b, text(near ? "db" : "api"));
}

static int32_t add_job(struct model_world *w, const char *name, int sort, uint32_t *job) {
    struct bytes b, rules, labels;
    struct group_spec s;
    memset(&s, 0, sizeof s);
    bytes_init(&b, &w->alloc);
    bytes_init(&rules, &w->alloc);
    bytes_init(&labels, &w->alloc);
    bytes_u32(&labels, 1);
    bytes_text(&labels, text("app"));
    bytes_text(&labels, text("web"));
    if (sort) put_rules(&rules, sort == 2);
    s.min = s.max = 1;
    s.task.request[s.task.n_request++] = (struct amount_spec){text("cpu"), 1000};
    s.task.rules = sort ? &rules : NULL;
    shape_encode_job(&b, 0, 0, 1);
    shape_encode_group(&b, &s);
    shape_encode_leaf(&b, 1);
    size_t at = shape_begin_task(&b);
    shape_encode_task(&b, &s.task);
    shape_end_task(&b, at);
    struct job_spec spec = {.name = text(name),
                            .queue = world_queue_named(w, "research"),
                            .submit = 19,
                            .labels = sort ? &labels : NULL,
                            .shape_bytes = b.p,
                            .shape_n = b.n};
    int32_t rc = b.failed || rules.failed || labels.failed ? LSCHED_E_NOMEM : undo_begin(&w->k);
    if (rc == LSCHED_OK) rc = scope(w, job_add(&w->k, &spec, job));
    bytes_close(&b);
    bytes_close(&rules);
    bytes_close(&labels);
    return rc == LSCHED_OK ? world_admit(w, *job) : rc;
}

int32_t rules_fill(struct model_world *w) {
    uint32_t node, other, ruled, stray, lonely;
    TRY(add_node(w, "ruled", LSCHED_NODE_READY, &node));
    TRY(add_node(w, "draining", LSCHED_NODE_DRAINING, &other));
    TRY(add_job(w, "stray", 0, &stray));
    TRY(world_propose(w, stray, 0, node, 1));
    TRY(world_start(w, stray, 0));
    TRY(taint(w, node));
    TRY(add_job(w, "ruled", 1, &ruled));
    TRY(world_propose(w, ruled, 0, node, 1));
    TRY(add_job(w, "lonely", 2, &lonely));
    return world_park(w, lonely, PARKED_RULES, 0, LSCHED_WAIT_RULES);
}
