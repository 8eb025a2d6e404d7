/*
 * verify_jobs.c -- checks that the counts of a job equal the states of its tasks, that a gang has
 * its minimum or waits as a whole, and that each waiting job is in the bundle of the jobs with its
 * shape.
 */
#include "engine/verify/verify_parts.h"
#include "model/store/intern.h"

enum { PHASE_NEW = 0, PHASE_REFUSED = 1, PHASE_QUEUED = 2, PHASE_FULL = 3, PHASE_RELEASING = 4 };
enum { KIND_START = 0, KIND_GROW = 1, KIND_REPAIR = 2, KIND_ALONE = 3 };
enum { STATE_ACTIVE = 1 };

/* Counts the tasks of each leaf group that have a place or are done. Nominated tasks count only if
 * `nominated` is set. */
static void verify_jobs_count_members(const struct columns *k, uint32_t job, int nominated,
                                      uint32_t *held) {
    memset(held, 0, LSCHED_GROUPS_PER_JOB_MAX * sizeof *held);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            held[k->c[C_LEAF_GROUP].u32[l]] +=
                nominated || verify_state_of(k, t) != LSCHED_TASK_NOMINATED;
}

void verify_held(const struct columns *k, uint32_t job, uint32_t *held) {
    verify_jobs_count_members(k, job, 1, held);
}

int verify_satisfied(const struct columns *k, uint32_t job, const uint32_t *held) {
    uint32_t good[LSCHED_GROUPS_PER_JOB_MAX] = {0},
             n = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    for (uint32_t g = n; g-- > 0;) { /* children come after their parents */
        uint32_t row = verify_group_row(k, job, g);
        int leaf = k->c[C_GROUP_SHAPE].u32[row] != NO_ROW;
        int stands = (leaf ? held[g] : good[g]) >= k->c[C_GROUP_MIN].u32[row];
        if (g == 0) return stands;
        good[k->c[C_GROUP_PARENT].u32[row]] += (uint32_t)stands;
    }
    return 0;
}

/* ---- leaf groups ---- */

/* Task indexes that one leaf group uses, one bit each. Their number must equal the number of
 * indexes that were ever given out (C_LEAF_FRESH). */
struct indexes {
    uint64_t *bit;
};
#define INDEX_BYTES (LSCHED_TASKS_PER_JOB_MAX / 8)

static int32_t mark_indexes(struct check *c, struct indexes *x, uint32_t leaf, uint32_t list,
                            uint32_t *n) {
    const struct columns *k = c->k;
    uint32_t base =
        k->c[C_GROUP_BASE]
            .u32[verify_group_row(k, k->c[C_LEAF_JOB].u32[leaf], k->c[C_LEAF_GROUP].u32[leaf])];
    for (uint32_t t = k->c[list].u32[leaf]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t i = k->c[C_TASK_INDEX].u32[t] - base;
        uint64_t bit = (uint64_t)1 << (i % 64);
        if (x->bit[i / 64] & bit) return check_fail(c, "%s exists twice", NAME(T_TASK, t));
        x->bit[i / 64] |= bit;
        ++*n;
    }
    return LSCHED_OK;
}

static int32_t verify_jobs_check_leaf(struct check *c, struct indexes *x, uint32_t leaf) {
    const struct columns *k = c->k;
    wide_i128 charge = 0;
    uint32_t placed = 0, running = 0, done = 0, rows = 0, fresh = k->c[C_LEAF_FRESH].u32[leaf],
             job = k->c[C_LEAF_JOB].u32[leaf];
    for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[leaf]; t != NO_ROW;
         t = k->c[C_TASK_NEXT].u32[t]) {
        uint32_t state = k->c[C_TASK_STATE].u8[t];
        placed += (uint32_t)verify_placed(k, t);
        if (verify_placed(k, t)) charge += verify_amount(k, t, LSCHED_GPU);
        running += state == LSCHED_TASK_RUNNING;
        done += state == LSCHED_TASK_DONE;
    }
    if (placed != k->c[C_LEAF_PLACED].u32[leaf] || running != k->c[C_LEAF_RUNNING].u32[leaf] ||
        done != k->c[C_LEAF_DONE].u32[leaf])
        return check_fail(
            c, "%s, group %u: counts %u placed, %u running, %u done; there are %u, %u, %u",
            NAME(T_JOB, job), k->c[C_LEAF_GROUP].u32[leaf], k->c[C_LEAF_PLACED].u32[leaf],
            k->c[C_LEAF_RUNNING].u32[leaf], k->c[C_LEAF_DONE].u32[leaf], placed, running, done);
    if (k->c[C_LEAF_CHARGE].i64[leaf] != charge)
        return check_fail(c, "%s, group %u: counts %lld milli-GPU, its tasks are charged %lld",
                          NAME(T_JOB, job), k->c[C_LEAF_GROUP].u32[leaf],
                          (long long)k->c[C_LEAF_CHARGE].i64[leaf], verify_shown(charge));
    if (placed + done + k->c[C_LEAF_LEAVING].u32[leaf] == 0)
        return check_fail(c, "%s, group %u: a leaf row of nothing", NAME(T_JOB, job),
                          k->c[C_LEAF_GROUP].u32[leaf]);
    memset(x->bit, 0, ((size_t)fresh + 63) / 64 * 8);
    /* a releasing task can have the index of a waiting one */
    int32_t rc = mark_indexes(c, x, leaf, C_LEAF_LEAVING_FIRST, &rows);
    memset(x->bit, 0, ((size_t)fresh + 63) / 64 * 8);
    rows = 0;
    if (rc == LSCHED_OK) rc = mark_indexes(c, x, leaf, C_LEAF_TASK_FIRST, &rows);
    if (rc == LSCHED_OK) rc = mark_indexes(c, x, leaf, C_LEAF_AGAIN_FIRST, &rows);
    if (rc == LSCHED_OK && rows != fresh)
        rc = check_fail(c, "%s, group %u: %u tasks were begun, %u have rows", NAME(T_JOB, job),
                        k->c[C_LEAF_GROUP].u32[leaf], fresh, rows);
    return rc;
}

/* ---- jobs ---- */

struct gang_standing {
    uint32_t placed, done, proposed, nominated, releasing;
    int satisfied, full;
    int stands; /* 1 if the gang has its minimum without its nominated tasks */
};

static void verify_jobs_standing_of(const struct columns *k, uint32_t job,
                                    struct gang_standing *s) {
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX], shape = k->c[C_JOB_SHAPE].u32[job];
    memset(s, 0, sizeof *s);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint8_t state = verify_state_of(k, t);
            s->placed += (uint32_t)verify_placed(k, t);
            s->done += !verify_placed(k, t);
            s->proposed += state == LSCHED_TASK_PROPOSED;
            s->nominated += state == LSCHED_TASK_NOMINATED;
        }
        s->releasing += k->c[C_LEAF_LEAVING].u32[l];
    }
    verify_held(k, job, held);
    s->satisfied = verify_satisfied(k, job, held);
    verify_jobs_count_members(k, job, 0, held);
    s->stands = verify_satisfied(k, job, held);
    s->full = s->placed + s->done == k->c[C_JOBSHAPE_TASKS].u32[shape];
}

/* Returns the flags that the job shape has: the first word of the shape's bytes. Jobs with
 * different flags have different shapes. */
static uint32_t flags_of(const struct columns *k, uint32_t job) {
    struct reader r = reader_of(k, k->c[C_JOBSHAPE_BLOB].u32[k->c[C_JOB_SHAPE].u32[job]]);
    return reader_u32(&r);
}

static int32_t check_bundle_of(struct check *c, uint32_t job, const struct gang_standing *s) {
    const struct columns *k = c->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], shape = k->c[C_JOB_SHAPE].u32[job],
             kind = k->c[C_BUNDLE_KIND].u8[b];
    int starts = s->placed + s->done == 0 && k->c[C_JOBSHAPE_TASKS_MIN].u32[shape] > 0;
    uint32_t wanted = starts ? KIND_START : s->satisfied ? KIND_GROW : KIND_REPAIR;
    if (kind != wanted && kind != KIND_ALONE)
        return check_fail(c, "%s is in a bundle of kind %u, expected %u", NAME(T_JOB, job), kind,
                          wanted);
    int own = kind >= KIND_REPAIR ||
              (kind == KIND_GROW &&
               (k->c[C_JOBSHAPE_N_LEAVES].u32[shape] > 1 || k->c[C_JOBSHAPE_PINNED].u8[shape]));
    if (k->c[C_BUNDLE_JOB].u32[b] != (own ? job : NO_ROW) ||
        k->c[C_BUNDLE_QUEUE].u32[b] != k->c[C_JOB_QUEUE].u32[job] ||
        k->c[C_BUNDLE_SHAPE].u32[b] != shape)
        return check_fail(c, "%s is in a bundle of other jobs", NAME(T_JOB, job));
    return LSCHED_OK;
}

static int32_t check_job(struct check *c, uint32_t job) {
    const struct columns *k = c->k;
    struct gang_standing s;
    verify_jobs_standing_of(k, job, &s);
    uint32_t phase = k->c[C_JOB_PHASE].u8[job], cost = k->c[C_JOB_COST].u32[job];
    if (s.proposed && !s.stands)
        return check_fail(
            c, "%s has %u proposed tasks, and without its %u claims it is below its minimum",
            NAME(T_JOB, job), s.proposed, s.nominated);
    if (s.nominated && !s.satisfied)
        return check_fail(c, "%s has %u nominated tasks and is below its minimum", NAME(T_JOB, job),
                          s.nominated);
    if (s.full != (phase == PHASE_FULL))
        return check_fail(c, "%s is in phase %u with %u placed and %u done of %u tasks",
                          NAME(T_JOB, job), phase, s.placed, s.done,
                          k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]]);
    int waits = phase == PHASE_QUEUED || phase == PHASE_RELEASING;
    if (waits && (phase == PHASE_RELEASING) != (s.releasing > 0))
        return check_fail(c, "%s is in phase %u while %u of its tasks leave", NAME(T_JOB, job),
                          phase, s.releasing);
    if (phase != PHASE_REFUSED && k->c[C_JOB_REASON].u32[job] != NO_ROW)
        return check_fail(c, "%s has a reason of refusal in phase %u", NAME(T_JOB, job), phase);
    int stale = cost != NO_ROW && k->c[C_COST_STALE_SINCE].i64[cost] != LSCHED_NEVER_US;
    if (stale != (!s.satisfied && s.placed > 0))
        return check_fail(c, "%s is %s a stale gang: %u placed, its minimum %s", NAME(T_JOB, job),
                          stale ? "called" : "not called", s.placed,
                          s.satisfied ? "reached" : "not reached");
    if ((k->c[C_JOB_FLAGS].u8[job] & 0x80u) && phase != PHASE_REFUSED)
        return check_fail(c, "%s is marked as refused by a failed hook in phase %u",
                          NAME(T_JOB, job), phase);
    if (flags_of(k, job) != (k->c[C_JOB_FLAGS].u8[job] & 0x3Fu))
        return check_fail(c, "%s has flags %u, its shape %u", NAME(T_JOB, job),
                          k->c[C_JOB_FLAGS].u8[job], flags_of(k, job));
    if (k->c[C_QUEUE_CHILD].u32[k->c[C_JOB_QUEUE].u32[job]] != NO_ROW)
        return check_fail(c, "%s is in an inner queue", NAME(T_JOB, job));
    return phase == PHASE_QUEUED ? check_bundle_of(c, job, &s) : LSCHED_OK;
}

/* ---- bundles ---- */

static int32_t check_totals(struct check *c, uint64_t active, uint64_t parked) {
    const struct columns *k = c->k;
    if (meta(k, M_ACTIVE) != active)
        return check_fail(c, "%llu active bundles counted, %llu found",
                          (unsigned long long)meta(k, M_ACTIVE), (unsigned long long)active);
    if (meta(k, M_PARKED_JOBS) != parked)
        return check_fail(c, "%llu parked jobs counted, %llu found",
                          (unsigned long long)meta(k, M_PARKED_JOBS), (unsigned long long)parked);
    return LSCHED_OK;
}

static int32_t check_bundles(struct check *c) {
    const struct columns *k = c->k;
    size_t bytes = ((size_t)table_rows(k, T_BUNDLE) + 1) * sizeof(uint32_t);
    uint32_t *count = alloc_zero(k->alloc, bytes);
    if (!count) return check_nomem(c);
    int32_t rc = LSCHED_OK;
    uint64_t active = 0, parked = 0;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++)
        if (row_is_live(k, T_JOB, j) && k->c[C_JOB_BUNDLE].u32[j] != NO_ROW)
            count[k->c[C_JOB_BUNDLE].u32[j]]++;
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE) && rc == LSCHED_OK; b++) {
        if (!row_is_live(k, T_BUNDLE, b)) continue;
        int is_active = k->c[C_BUNDLE_STATE].u8[b] == STATE_ACTIVE;
        if (count[b] == 0 || count[b] != k->c[C_BUNDLE_JOBS].u32[b])
            rc = check_fail(c, "the bundle of %s counts %u jobs and has %u",
                            NAME(T_JOB, k->c[C_BUNDLE_HEAP].u32[b]), k->c[C_BUNDLE_JOBS].u32[b],
                            count[b]);
        else if (is_active != (k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_NONE))
            rc = check_fail(c, "the bundle of %s is %s with reason %u",
                            NAME(T_JOB, k->c[C_BUNDLE_HEAP].u32[b]),
                            is_active ? "active" : "parked", k->c[C_BUNDLE_CODE].u8[b]);
        else if (k->c[C_BUNDLE_GROUP].u32[b] >=
                     k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_BUNDLE_SHAPE].u32[b]] ||
                 k->c[C_BUNDLE_TRIED].u64[b] > meta(k, M_CYCLE))
            rc = check_fail(c, "the bundle of %s speaks of group %u and cycle %llu",
                            NAME(T_JOB, k->c[C_BUNDLE_HEAP].u32[b]), k->c[C_BUNDLE_GROUP].u32[b],
                            (unsigned long long)k->c[C_BUNDLE_TRIED].u64[b]);
        active += (uint64_t)is_active;
        parked += is_active ? 0 : count[b];
    }
    alloc_free(k->alloc, count, bytes);
    return rc == LSCHED_OK ? check_totals(c, active, parked) : rc;
}

int32_t verify_jobs(struct check *c) {
    const struct columns *k = c->k;
    struct indexes x = {alloc_new(k->alloc, INDEX_BYTES)};
    if (!x.bit) return check_nomem(c);
    int32_t rc = LSCHED_OK;
    for (uint32_t l = 0; l < table_rows(k, T_LEAF) && rc == LSCHED_OK; l++)
        if (row_is_live(k, T_LEAF, l)) rc = verify_jobs_check_leaf(c, &x, l);
    alloc_free(k->alloc, x.bit, INDEX_BYTES);
    for (uint32_t j = 0; j < table_rows(k, T_JOB) && rc == LSCHED_OK; j++)
        if (row_is_live(k, T_JOB, j)) rc = check_job(c, j);
    return rc == LSCHED_OK ? check_bundles(c) : rc;
}
