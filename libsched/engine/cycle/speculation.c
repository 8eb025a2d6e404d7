/* speculation.c -- see speculation.h. */
#include "engine/cycle/speculation.h"

#include "model/machine/machine.h"

/* The members of struct lsched_cluster that a cycle writes outside of the columns, apart from the
 * algorithms and the policy. Each of them is zero in a new cluster. */
#define ASIDE_OF_CLUSTER(X) \
    X(search)               \
    X(scan)                 \
    X(share)                \
    X(guaranteed)           \
    X(idle)                 \
    X(lowest)               \
    X(running)              \
    X(news)                 \
    X(lines)                \
    X(absences)             \
    X(view)                 \
    X(affinity)             \
    X(maps)                 \
    X(cache_questions)      \
    X(searches_skipped)     \
    X(skips_compared)       \
    X(nodes_walked)         \
    X(watch)                \
    X(watch_user)

/* The same of struct columns. */
#define ASIDE_OF_COLUMNS(X) \
    X(touch)                \
    X(task_touch)           \
    X(queue_touch)          \
    X(bundle_touch)         \
    X(structure)            \
    X(node_set)             \
    X(domain_set)           \
    X(queue_terms)          \
    X(changes)              \
    X(changes_kept)         \
    X(changes_pending)      \
    X(changes_why)          \
    X(tally_words)          \
    X(tally)

struct speculation {
    /* only the members that the two lists name are used */
    struct lsched_cluster cluster;
    struct machine_cache *machines;
    struct algorithm_slot algorithms[LIMIT_ALGORITHMS];
    uint64_t steps;
    uint32_t tight, failures, interrupted;
    uint64_t instructions;
    char last_error[LSCHED_MESSAGE_BYTES];
};

/* Some members are pointers.  NOLINTBEGIN(bugprone-sizeof-expression) */

static void set_aside(struct lsched_cluster *c, struct speculation *s) {
#define X(member)                                                     \
    memcpy(&s->cluster.member, &c->member, sizeof s->cluster.member); \
    memset(&c->member, 0, sizeof c->member);
    ASIDE_OF_CLUSTER(X)
#undef X
#define X(member)                                                           \
    memcpy(&s->cluster.k.member, &c->k.member, sizeof s->cluster.k.member); \
    memset(&c->k.member, 0, sizeof c->k.member);
    ASIDE_OF_COLUMNS(X)
#undef X
    memcpy(s->algorithms, c->algorithms, sizeof s->algorithms);
    for (uint32_t i = 0; i < c->n_algorithms; i++)
        c->algorithms[i] = (struct algorithm_slot){.table = s->algorithms[i].table,
                                                   .of_host = s->algorithms[i].of_host};
    s->steps = *c->k.steps;
    s->tight = c->alloc.tight;
    s->failures = c->policy.failures;
    s->instructions = c->policy.instructions;
    memcpy(s->last_error, c->policy.last_error, sizeof s->last_error);
    s->interrupted = atomic_exchange(&c->interrupted, 0);
}

static void speculation_restore(struct lsched_cluster *c, struct speculation *s) {
#define X(member) memcpy(&c->member, &s->cluster.member, sizeof c->member);
    ASIDE_OF_CLUSTER(X)
#undef X
#define X(member) memcpy(&c->k.member, &s->cluster.k.member, sizeof c->k.member);
    ASIDE_OF_COLUMNS(X)
#undef X
    memcpy(c->algorithms, s->algorithms, sizeof c->algorithms);
    *c->k.steps = s->steps;
    c->alloc.tight = s->tight;
    c->policy.failures = s->failures;
    c->policy.instructions = s->instructions;
    memcpy(c->policy.last_error, s->last_error, sizeof c->policy.last_error);
    /* an interrupt that came during the speculation also ends the next cycle soon */
    if (s->interrupted) atomic_store_explicit(&c->interrupted, 1, memory_order_relaxed);
}

/* NOLINTEND(bugprone-sizeof-expression) */

int32_t speculation_open(struct lsched_cluster *c, struct speculation **out) {
    struct speculation *s = alloc_zero(&c->alloc, sizeof *s);
    assert(c->k.undo_depth == 0);
    if (!s) return LSCHED_E_NOMEM;
    s->machines = c->k.machines;
    int32_t rc = machine_cache_open(&c->k);
    if (rc != LSCHED_OK) {
        c->k.machines = s->machines;
        alloc_free(&c->alloc, s, sizeof *s);
        return rc;
    }
    set_aside(c, s);
    c->speculates = 1;
    *out = s;
    return LSCHED_OK;
}

static void log_close(struct columns *k, struct touch_log *t) {
    alloc_free(k->alloc, t->rows, t->cap * sizeof *t->rows);
    memset(t, 0, sizeof *t);
}

void speculation_close(struct lsched_cluster *c, struct speculation *s) {
    struct columns *k = &c->k;
    algorithms_reset(c);
    cluster_drop_caches(c);
    log_close(k, &k->touch);
    log_close(k, &k->task_touch);
    log_close(k, &k->queue_touch);
    log_close(k, &k->bundle_touch);
    machine_cache_close(k);
    k->machines = s->machines;
    speculation_restore(c, s);
    c->speculates = 0;
    alloc_free(&c->alloc, s, sizeof *s);
}

int32_t speculation_begin(struct lsched_cluster *c, struct speculation *s) {
    struct columns *k = &c->k;
    (void)s;
    int32_t rc = undo_begin(k);
    if (rc != LSCHED_OK) return rc;
    if (c->serials < SPECULATION_SERIALS) c->serials = SPECULATION_SERIALS;
    set_meta(k, M_SERIAL, c->serials);
    return LSCHED_OK;
}

void speculation_undo(struct lsched_cluster *c, struct speculation *s) {
    struct columns *k = &c->k;
    (void)s;
    c->serials = meta(k, M_SERIAL);
    undo_rollback(k, 0);
    undo_end(k);
}

int speculation_interrupted(const struct lsched_cluster *c) {
    return atomic_load_explicit(&c->interrupted, memory_order_relaxed) != 0;
}
