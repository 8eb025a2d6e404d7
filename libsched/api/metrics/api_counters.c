/* api_counters.c -- the getters of the counters (model/told/tally.h). */
#include "api/door/args.h"
#include "engine/state/cluster.h"
#include "model/told/tally.h"

/* The fields of events are in the order of the words of a block. */
#define EVENT_BYTES (TALLY_CHANGES_MORE * sizeof(uint64_t))
#define CHECK_EVENTS(type)                                                                   \
    _Static_assert(offsetof(type, removed) + sizeof(uint64_t) - offsetof(type, decisions) == \
                       EVENT_BYTES,                                                          \
                   "one field for each word");                                               \
    _Static_assert(offsetof(type, evictions) - offsetof(type, decisions) ==                  \
                       TALLY_EVICTIONS * sizeof(uint64_t),                                   \
                   "the same order");                                                        \
    _Static_assert(offsetof(type, confirmed) - offsetof(type, decisions) ==                  \
                       TALLY_CONFIRMED * sizeof(uint64_t),                                   \
                   "the same order");                                                        \
    _Static_assert(offsetof(type, imported) - offsetof(type, decisions) ==                   \
                       TALLY_IMPORTED * sizeof(uint64_t),                                    \
                   "the same order")
CHECK_EVENTS(lsched_counters);
CHECK_EVENTS(lsched_queue_counters);

static int32_t counters_args(const lsched_cluster *c, const void *out, uint32_t size,
                             lsched_error *err) {
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    if (c->busy) return arg_busy(err);
    if (size < sizeof size)
        return fail(err, LSCHED_E_SIZE, "counters: size is %u; expected the size of the struct",
                    size);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_counters_get(const lsched_cluster *c, lsched_counters *out,
                                       lsched_error *err) {
    int32_t rc = counters_args(c, out, out ? out->size : 0, err);
    if (rc != LSCHED_OK) return rc;
    const struct tally *t = c->k.tally;
    lsched_counters n = {.size = sizeof n,
                         .queues_counted = table_live(&c->k, T_QUEUE),
                         .cycles = t->cycles,
                         .cycles_partial = t->partial,
                         .cycles_interrupted = t->interrupted,
                         .cycles_policy_failed = t->policy_failed,
                         .jobs_tried = t->jobs_tried,
                         .work_units = t->work_units,
                         .steps = t->steps,
                         .nodes_scored = t->nodes_scored,
                         .searches_proven = t->proven,
                         .searches_cut = t->cut,
                         .searches_skipped = t->skipped,
                         .search_hits = t->hits,
                         .search_fills = t->fills,
                         .policy_instructions = t->instructions,
                         .allocations = c->alloc.count,
                         .memory_bytes = c->alloc.bytes,
                         .memory_peak_bytes = c->alloc.peak_bytes};
    const uint64_t *block = tally_block(&c->k, NO_ROW);
    memcpy((char *)&n + offsetof(lsched_counters, decisions), block, EVENT_BYTES);
    memcpy(n.changes_more, block + TALLY_CHANGES_MORE, sizeof n.changes_more);
    return arg_out(out, &n, (uint32_t)sizeof n);
}

LSCHED_API int32_t lsched_queue_counters_get(const lsched_cluster *c, lsched_id queue,
                                             lsched_queue_counters *out, lsched_error *err) {
    uint32_t row;
    int32_t rc = counters_args(c, out, out ? out->size : 0, err);
    if (rc == LSCHED_OK) rc = arg_id(&c->k, queue, LSCHED_KIND_QUEUE, &row, err);
    if (rc != LSCHED_OK) return rc;
    lsched_queue_counters n = {.size = sizeof n};
    const uint64_t *block = tally_block(&c->k, row);
    memcpy((char *)&n + offsetof(lsched_queue_counters, decisions), block, EVENT_BYTES);
    memcpy(n.changes_more, block + TALLY_CHANGES_MORE, sizeof n.changes_more);
    return arg_out(out, &n, (uint32_t)sizeof n);
}

LSCHED_API int32_t lsched_action_counters_next(const lsched_cluster *c, uint64_t *cursor,
                                               lsched_action_counters *out, lsched_error *err) {
    int32_t rc = counters_args(c, out, out ? out->size : 0, err);
    if (rc != LSCHED_OK) return rc;
    if (!cursor) return fail(err, LSCHED_E_NULL, "cursor is NULL");
    for (; *cursor < c->n_algorithms; ++*cursor) {
        const struct action_tally *t = &c->k.tally->actions[*cursor];
        if (t->runs == 0) continue;
        const char *name = c->algorithms[*cursor].table->name;
        lsched_action_counters n = {.size = sizeof n,
                                    .runs = t->runs,
                                    .jobs_tried = t->jobs_tried,
                                    .decisions = t->decisions,
                                    .evictions = t->evictions,
                                    .work_units = t->work_units,
                                    .steps = t->steps};
        size_t len = strlen(name);
        memcpy(n.action, name, len < sizeof n.action ? len : sizeof n.action - 1);
        ++*cursor;
        return arg_out(out, &n, (uint32_t)sizeof n) == LSCHED_OK ? 1 : LSCHED_E_SIZE;
    }
    return 0;
}
