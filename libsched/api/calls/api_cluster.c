/* api_cluster.c -- the cluster handle: create, destroy, clone, save, load, hashes, statistics,
 * names. */
#include "lua/state/luajit_hold.h"
#include "algorithms/builtin.h"
#include "model/image/image_load.h"
#include "model/image/image_save.h"
#include "api/calls/skip_check.h"
#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/job_selectors.h"
#include "api/forms/policy_store.h"
#include "base/hash.h"
#include "engine/state/family.h"
#include "engine/upkeep/spent_end.h"
#include "engine/verify/verify.h"
#include "model/shapes/domain.h"
#include "model/store/generation.h"
#include "model/image/image.h"
#include "model/shapes/resource_kind.h"
#include "model/image/meaning.h"
#include "model/image/state.h"
#include "model/told/change_feed.h"
#include "model/told/tally.h"

static int32_t state_init(struct lsched_cluster *c) {
    static const char *const kinds[] = {"any", "cpu", "memory", "gpu"};
    int32_t rc = state_open(&c->k, &c->alloc);
    if (rc == LSCHED_OK) rc = change_feed_open(&c->k, c->changes_bytes);
    if (rc == LSCHED_OK) rc = tally_open(&c->k);
    for (int i = 0; rc >= 0 && i < 4; i++) rc = kind_add(&c->k, kinds[i], strlen(kinds[i]));
    return rc < 0 ? rc : LSCHED_OK;
}

/* Makes a cluster handle without columns. family: that of the cluster which is cloned, NULL for a
 * new one. */
static int32_t handle_new(const struct alloc *a, struct cluster_family *family,
                          struct lsched_cluster **out) {
    struct alloc copy = *a;
    struct lsched_cluster *c = alloc_zero(&copy, sizeof *c);
    if (!c) return LSCHED_E_NOMEM;
    c->family = family ? family : family_open(&copy);
    if (!c->family) {
        alloc_free(&copy, c, sizeof *c);
        return LSCHED_E_NOMEM;
    }
    c->member = family ? family_join(family) : 0;
    c->alloc = copy;
    c->k.alloc = &c->alloc;
    c->luajit = luajit_hold();
    c->wake_all_max = LIMIT_WAKE_ALL;
#ifdef LSCHED_CHECK_CACHES
    c->check_caches = &cache_checks_cold;
#endif
#ifndef NDEBUG
    skip_check_on(c, SKIP_CHECK_ONE_IN);
#endif
    for (uint32_t i = 0; algorithms_builtin[i]; i++)
        c->algorithms[c->n_algorithms++] = (struct algorithm_slot){.table = algorithms_builtin[i]};
    *out = c;
    return LSCHED_OK;
}

/* Checks the values of the options. */
static int32_t cluster_opts_check(const lsched_cluster_opts *o, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    if (o->incarnation > LSCHED_INCARNATION_MAX)
        rc = fail(err, LSCHED_E_RANGE, "cluster options: incarnation is %u; expected 0 to %u",
                  o->incarnation, LSCHED_INCARNATION_MAX);
    if (rc == LSCHED_OK && o->verify_every_plan > 1)
        rc = fail(err, LSCHED_E_INVAL, "cluster options: verify_every_plan is %u; expected 0 or 1",
                  o->verify_every_plan);
#if defined(LSCHED_NO_VERIFY)
    if (rc == LSCHED_OK && o->verify_every_plan)
        rc = fail(err, LSCHED_E_UNSUPPORTED,
                  "cluster options: verify_every_plan is 1, and cycles of this build cannot verify "
                  "plans (LSCHED_NO_VERIFY)");
#endif
    if (rc == LSCHED_OK && o->changes_bytes &&
        (o->changes_bytes < LSCHED_CHANGES_BYTES_MIN ||
         o->changes_bytes > LSCHED_CHANGES_BYTES_MAX))
        rc = fail(err, LSCHED_E_RANGE,
                  "cluster options: changes_bytes is %u; expected 0 for the default, or %u to %u",
                  o->changes_bytes, LSCHED_CHANGES_BYTES_MIN, LSCHED_CHANGES_BYTES_MAX);
    if (rc == LSCHED_OK)
        rc = arg_reserved(o->reserved_zero, "reserved_zero", "cluster options", err);
    if (rc == LSCHED_OK) rc = arg_allocator(o->allocator, "cluster options", err);
    return rc;
}

static int32_t handle_from_opts(const lsched_cluster_opts *opts, struct lsched_cluster **out,
                                uint32_t *incarnation, lsched_error *err) {
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    struct lsched_cluster *c = NULL;
    struct alloc a;
    int32_t rc = LSCHED_OK;
    if (opts) rc = arg_struct(&o, sizeof o, opts, 0, "cluster options", err);
    if (rc == LSCHED_OK) rc = cluster_opts_check(&o, err);
    if (rc != LSCHED_OK) return rc;
    rc = alloc_init(&a, o.allocator, o.memory_limit_bytes);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    rc = handle_new(&a, NULL, &c);
    if (rc != LSCHED_OK || !c) return fail_plain(err, rc);
    c->changes_bytes = o.changes_bytes ? o.changes_bytes : LSCHED_CHANGES_BYTES_DEFAULT;
    c->open_max = o.open_decisions_max ? o.open_decisions_max : LSCHED_OPEN_DECISIONS_DEFAULT;
    c->verify_every_plan = o.verify_every_plan;
    /* The salt is mixed, so that the ids of clusters with the salts 1 and 2 differ in all bits. */
    c->id_salt = o.id_salt ? hash_mix(0, o.id_salt) >> 4 : 0;
    *out = c;
    *incarnation = o.incarnation;
    return LSCHED_OK;
}

static int32_t element_incarnation_set(struct lsched_cluster *c, const struct call *call, size_t i,
                                       const void *element, lsched_error *err) {
    uint32_t to = *(const uint32_t *)element, is = (uint32_t)meta(&c->k, M_INCARNATION);
    (void)call, (void)i;
    if (to <= is)
        return fail(err, LSCHED_E_RANGE,
                    "incarnation %u: the saved state has incarnation %u; give a greater one, or "
                    "0 to keep using its ids",
                    to, is);
    return generation_next(&c->k, to);
}

const struct call_kind call_incarnation_set = {
    .op = CALL_INCARNATION_SET, .apply = element_incarnation_set, .is_single = 1};

/* Sets the incarnation. 0: keeps the present incarnation. */
static int32_t incarnation_set(struct lsched_cluster *c, uint32_t incarnation, lsched_error *err) {
    struct call call = {.kind = &call_incarnation_set,
                        .n = 1,
                        .elem_size = sizeof incarnation,
                        .elements = &incarnation};
    if (incarnation == 0) return LSCHED_OK;
    int32_t rc = door_apply(c, &call, err);
    return rc < 0 ? rc : LSCHED_OK;
}

LSCHED_API int32_t lsched_cluster_create(const lsched_cluster_opts *opts, lsched_cluster **out,
                                         lsched_error *err) {
    struct lsched_cluster *c = NULL;
    uint32_t incarnation = 0;
    int32_t rc = err_begin(err);
    if (rc == LSCHED_OK && !out) fail(err, LSCHED_E_NULL, "out is NULL");
    if (!out) return rc == LSCHED_OK ? LSCHED_E_NULL : rc;
    if (rc == LSCHED_OK) rc = handle_from_opts(opts, &c, &incarnation, err);
    if (rc != LSCHED_OK || !c) return rc;
    rc = state_init(c);
    if (rc == LSCHED_OK) rc = incarnation_set(c, incarnation, err);
    if (rc != LSCHED_OK) {
        lsched_cluster_destroy(c);
        return fail_plain(err, rc);
    }
    c->k.id_salt = c->id_salt;
    *out = c;
    return LSCHED_OK;
}

LSCHED_API void lsched_cluster_destroy(lsched_cluster *c) {
    if (!c || c->busy) return;
    c->busy = 1; /* algorithms of the host are told that they end */
    policy_drop(c);
    job_selectors_close(c);
    share_close(&c->share, &c->k);
    room_line_close(&c->lines, &c->k);
    view_close(&c->view, &c->k);
    node_scan_drop(&c->scan, &c->k);
    idle_amounts_drop(&c->idle, &c->k);
    lowest_work_drop(&c->lowest, &c->k);
    running_work_drop(&c->running, &c->k);
    node_news_close(&c->news, &c->k);
    length_lines_drop(&c->lengths, &c->k);
    absence_line_drop(&c->absences, &c->k);
    job_marks_drop(&c->marks, &c->k);
    affinity_planes_drop(&c->affinity, &c->k);
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX; t++) topology_map_close(&c->maps[t], &c->k);
    change_feed_close(&c->k);
    tally_close(&c->k);
    state_close(&c->k);
    luajit_release(c->luajit);
    family_leave(c->family);
    struct alloc a = c->alloc;
    alloc_free(&a, c, sizeof *c);
}

static void settings_copy(struct lsched_cluster *to, const struct lsched_cluster *c) {
    to->open_max = c->open_max;
    to->verify_every_plan = c->verify_every_plan;
    to->wake_all_max = c->wake_all_max;
    to->id_salt = to->k.id_salt = c->id_salt;
    to->loaded = c->loaded;
    to->end_spent = c->end_spent;
    to->changes_bytes = to->changes_bytes ? to->changes_bytes : c->changes_bytes;
}

/* Makes a cluster without state to which *c can be copied. */
static int32_t clone_new(const struct lsched_cluster *c, struct lsched_cluster **out) {
    struct alloc a;
    struct lsched_cluster *to = NULL;
    alloc_init(&a, &c->alloc.hooks, c->alloc.limit_bytes == UINT64_MAX ? 0 : c->alloc.limit_bytes);
    int32_t rc = handle_new(&a, c->family, &to);
    if (rc == LSCHED_OK) rc = state_open(&to->k, &to->alloc);
    if (rc == LSCHED_OK) rc = change_feed_open(&to->k, c->changes_bytes);
    if (rc == LSCHED_OK) rc = tally_open(&to->k);
    *out = to;
    if (rc != LSCHED_OK) lsched_cluster_destroy(to);
    return rc;
}

/* Makes a handle that has become a clone a new member of the family, because its earlier plans
 * belong to the state that it had before. */
static void join_family(struct lsched_cluster *to, struct cluster_family *family) {
    struct cluster_family *old = to->family;
    if (to->member == 0) to->alloc.bytes -= family_bytes();
    to->family = family;
    to->member = family_join(family);
    family_leave(old);
}

/* Makes *to a clone. `fresh`: it is a new handle. Algorithms of the host are made for the clone and
 * told that those of its earlier policy end, so both clusters must be marked as busy. */
static int32_t clone_fill(struct lsched_cluster *to, const struct lsched_cluster *c, int fresh,
                          lsched_error *err) {
    /* The policy is copied first, into a separate struct that then replaces the old one. After
     * that only the columns must be copied, which happens completely or not at all. */
    struct policy_slot old = to->policy;
    memset(&to->policy, 0, sizeof to->policy);
    algorithms_reset(to);
    uint32_t n_old = to->n_algorithms;
    const struct algorithm_slot *s = c->algorithms;
    for (uint32_t i = 0; i < c->n_algorithms; i++)
        to->algorithms[i] = (struct algorithm_slot){.table = s[i].table, .of_host = s[i].of_host};
    to->n_algorithms = c->n_algorithms;
    int32_t rc = policy_copy(to, c, err);
    if (rc == LSCHED_OK) rc = tally_reserve(&to->k, table_rows(&c->k, T_QUEUE));
    if (rc == LSCHED_OK) rc = columns_copy(&to->k, &c->k);
    if (rc != LSCHED_OK) {
        policy_drop(to);
        to->policy = old;
        to->n_algorithms = n_old;
        return rc;
    }
    struct policy_slot made = to->policy;
    to->policy = old;
    policy_drop(to);
    to->policy = made;
    settings_copy(to, c);
    if (fresh) return LSCHED_OK;
    join_family(to, c->family);
    change_feed_clear(&to->k);
    tally_clear(&to->k);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_cluster_clone(const lsched_cluster *c, lsched_cluster **inout,
                                        lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !inout) return fail(err, LSCHED_E_NULL, "cluster or inout is NULL");
    if (*inout == c)
        return fail(
            err, LSCHED_E_INVAL,
            "a cluster cannot be cloned into itself; pass a pointer to NULL for a new clone");
    if (c->busy) return arg_busy(err);
    struct lsched_cluster *to = *inout, *marked = arg_caches_of(c);
    if (to && to->busy)
        return fail(err, LSCHED_E_BUSY, "the target is busy: one of its callbacks is running");
    if (!to) rc = clone_new(c, &to);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    marked->busy = to->busy = 1;
    rc = clone_fill(to, c, !*inout, err);
    marked->busy = to->busy = 0;
    if (rc != LSCHED_OK) {
        if (!*inout) lsched_cluster_destroy(to);
        return fail_plain(err, rc);
    }
    cluster_drop_caches(to);
    *inout = to;
    return LSCHED_OK;
}

/* ---- save and load ---- */

/* The orchestrator's callback for writing, and the value that it returned if that was not 0. */
struct writer {
    lsched_write_fn write;
    void *user;
    int32_t answer;
};

static int32_t write_through(void *user, const void *bytes, size_t n) {
    struct writer *w = user;
    return w->answer = w->write(w->user, bytes, n);
}

/* The cluster is marked as busy during the save, so that the callback cannot change it. Such a
 * change would be only in the bytes that are written after it. */
LSCHED_API int32_t lsched_cluster_save(const lsched_cluster *c, lsched_write_fn write, void *user,
                                       lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !write) return fail(err, LSCHED_E_NULL, "cluster or write is NULL");
    if (c->busy) return arg_busy(err);
    struct bytes b;
    struct writer w = {write, user, 0};
    struct lsched_cluster *marked = arg_caches_of(c);
    /* a copy, so that saving does not change the cluster's memory statistics */
    struct alloc a = c->alloc;
    marked->busy = 1;
    bytes_init(&b, &a);
    policy_encode(c, &b);
    struct image_extra extra = {"POLICY", b.p, b.n};
    rc = b.failed ? LSCHED_E_NOMEM : image_save_with(&c->k, &extra, 1, write_through, &w);
    bytes_close(&b);
    marked->busy = 0;
    if (rc == LSCHED_E_STATE)
        return fail(
            err, rc,
            "the write callback returned %d: the image is not complete; expected 0 for each part",
            w.answer);
    return rc == LSCHED_OK ? rc : fail_plain(err, rc);
}

/* Reads and checks the columns. The counters begin with 0. */
static int32_t state_read(struct columns *k, const void *bytes, size_t n, lsched_error *err) {
    int32_t rc = image_load(k, bytes, n, err);
    if (rc == LSCHED_OK) rc = tally_reserve(k, table_rows(k, T_QUEUE));
    if (rc == LSCHED_OK) rc = verify_values(k, err);
    return rc == LSCHED_E_VERIFY ? LSCHED_E_CORRUPT : rc;
}

LSCHED_API int32_t lsched_cluster_load(const lsched_cluster_opts *opts, const void *bytes, size_t n,
                                       lsched_cluster **out, lsched_error *err) {
    struct lsched_cluster *c = NULL;
    uint32_t incarnation = 0;
    int32_t rc = err_begin(err);
    if (rc == LSCHED_OK && !out) fail(err, LSCHED_E_NULL, "out is NULL");
    if (!out) return rc == LSCHED_OK ? LSCHED_E_NULL : rc;
    if (rc == LSCHED_OK) rc = handle_from_opts(opts, &c, &incarnation, err);
    if (rc != LSCHED_OK || !c) return rc;
    const void *policy = NULL;
    size_t policy_n = 0;
    if (!bytes) rc = fail(err, LSCHED_E_NULL, "bytes is NULL");
    if (rc == LSCHED_OK) rc = state_init(c);
    if (rc == LSCHED_OK) rc = state_read(&c->k, bytes, n, err);
    if (rc == LSCHED_OK && c->k.allowances) c->end_spent = spent_end;
    if (rc == LSCHED_OK) rc = job_selectors_verify(c, err);
    if (rc == LSCHED_OK) rc = image_extra_find(bytes, n, "POLICY", &policy, &policy_n);
    if (rc == 1) rc = policy_decode(c, policy, policy_n, err);
    if (rc >= 0) rc = incarnation_set(c, incarnation, err);
    if (rc < 0) {
        lsched_cluster_destroy(c);
        if (err && err->code == LSCHED_E_VERIFY) err->code = rc;
        return fail_plain(err, rc);
    }
    c->k.id_salt = c->id_salt;
    c->loaded = hash_bytes(bytes, n, 1);
    *out = c;
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_cluster_hash(const lsched_cluster *c, uint32_t which, uint64_t *out,
                                       lsched_error *err) {
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    if (which > LSCHED_HASH_MEANING)
        return fail(err, LSCHED_E_INVAL, "there is no kind %u of hash", which);
    if (c->busy) return arg_busy(err);
    *out = which == LSCHED_HASH_IMAGE ? image_hash(&c->k) : meaning_hash(&c->k);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_cluster_stats_get(const lsched_cluster *c, lsched_cluster_stats *out,
                                            lsched_error *err) {
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    const struct columns *k = &c->k;
    uint32_t oldest = (uint32_t)meta(k, M_OPEN_HEAD);
    uint64_t placed = 0;
    EACH_LIVE(k, T_LEAF, l) placed += k->c[C_LEAF_PLACED].u32[l];
    lsched_cluster_stats s = {.size = sizeof s,
                              .incarnation = (uint32_t)meta(k, M_INCARNATION),
                              .nodes = table_live(k, T_NODE),
                              .queues = table_live(k, T_QUEUE),
                              .jobs = table_live(k, T_JOB),
                              .jobs_pending = meta(k, M_PENDING_JOBS),
                              .jobs_parked = meta(k, M_PARKED_JOBS) + meta(k, M_REFUSED_JOBS),
                              .tasks_placed = placed,
                              .decisions_open = meta(k, M_OPEN_COUNT),
                              .oldest_open_decision_us =
                                  oldest == NO_ROW ? LSCHED_NEVER_US
                                                   : k->c[C_DECISION_PROPOSED].i64[oldest],
                              .memory_bytes = c->alloc.bytes,
                              .memory_peak_bytes = c->alloc.peak_bytes,
                              .allocations = c->alloc.count,
                              .now_us = (int64_t)meta(k, M_NOW)};
    rc = arg_out(out, &s, (uint32_t)sizeof s);
    return rc == LSCHED_OK
               ? rc
               : fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
}

LSCHED_API void lsched_interrupt(lsched_cluster *c) {
    if (c) atomic_store_explicit(&c->interrupted, 1, memory_order_relaxed);
}

/* ---- names ---- */

LSCHED_API lsched_id lsched_find(const lsched_cluster *c, uint32_t kind, lsched_text name) {
    if (!c || index_table_of(kind) == TABLES) return 0;
    lsched_text t = arg_text(name);
    uint32_t row = name_find(&c->k, index_table_of(kind), t.ptr, (size_t)t.len);
    return row == NO_ROW ? 0 : arg_id_of(&c->k, kind, row);
}

LSCHED_API const char *lsched_name(const lsched_cluster *c, lsched_id id, size_t *len) {
    lsched_text name = c ? arg_name_of(&c->k, id) : (lsched_text){NULL, 0};
    if (len && name.ptr) *len = (size_t)name.len;
    return name.ptr;
}

LSCHED_API lsched_id lsched_next(const lsched_cluster *c, uint32_t kind, uint64_t *cursor) {
    if (!c || !cursor || table_of(kind) == TABLES) return 0;
    for (uint32_t rows = table_rows(&c->k, table_of(kind)); *cursor < rows;) {
        uint32_t row = (uint32_t)(*cursor)++;
        if (row_is_live(&c->k, table_of(kind), row)) return arg_id_of(&c->k, kind, row);
    }
    return 0;
}
