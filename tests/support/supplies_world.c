/* supplies_world.c -- see supplies_world.h. */
#include "support/supplies_world.h"
#include "support/arrays_world.h"
#include "support/gates_world.h"

#include "model/jobs/job.h"
#include "model/supplies/supply.h"

#define TRY(call)                             \
    do {                                      \
        int32_t code_ = (call);               \
        if (code_ != LSCHED_OK) return code_; \
    } while (0)

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static int32_t add_places(struct columns *k, uint32_t domain) {
    uint32_t place;
    int32_t rc = supply_add(k, text("watts"), 3, LSCHED_UNLIMITED);
    if (rc == LSCHED_OK) rc = supply_add(k, text("licence"), 4, 10);
    if (rc == LSCHED_OK) rc = supply_place_add(k, 0, domain, &place);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) supply_place_set(k, place, 100, 7);
    return rc;
}

/* A job of one task that needs 3 of "licence" and 5 of "watts". */
static int32_t add_licensed(struct model_world *w, uint32_t *job) {
    struct supply_spec needs[] = {{text("licence"), 3}, {text("watts"), 5}};
    struct group_spec s = {.min = 1, .max = 1};
    struct bytes b;
    bytes_init(&b, &w->alloc);
    s.task.request[s.task.n_request++] = (struct amount_spec){text("cpu"), 1000};
    s.task.supplies = needs;
    s.task.n_supplies = 2;
    shape_encode_job(&b, 0, 0, 1);
    shape_encode_group(&b, &s);
    shape_encode_leaf(&b, 1);
    size_t at = shape_begin_task(&b);
    shape_encode_task(&b, &s.task);
    shape_end_task(&b, at);
    struct job_spec spec = {.name = text("licensed"),
                            .queue = world_queue_named(w, "research"),
                            .submit = 23,
                            .shape_bytes = b.p,
                            .shape_n = b.n};
    int32_t rc = b.failed ? LSCHED_E_NOMEM : undo_begin(&w->k);
    if (rc == LSCHED_OK) {
        rc = job_add(&w->k, &spec, job);
        if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
        undo_end(&w->k);
    }
    bytes_close(&b);
    return rc;
}

int32_t supplies_fill(struct model_world *w) {
    uint32_t node, job;
    TRY(world_node(w, "powered", 4000, 0, 0, "r9", &node));
    TRY(undo_begin(&w->k));
    int32_t rc = add_places(&w->k, w->k.c[C_NODE_DOMAIN0].u32[node]);
    if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
    undo_end(&w->k);
    TRY(rc);
    TRY(add_licensed(w, &job));
    TRY(world_admit(w, job));
    TRY(world_propose(w, job, 0, node, 1));
    TRY(world_start(w, job, 0));
    TRY(gates_fill(w));
    return arrays_fill(w);
}
