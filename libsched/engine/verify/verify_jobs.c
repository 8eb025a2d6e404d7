/*
 * verify_jobs.c -- see verify_jobs.h.
 *
 * The stored start of a job must not be later than the start of any of its running tasks. The start
 * of the job can be earlier than that, because the task that started first can have ended. A job
 * without running or releasing tasks has no start. A job with a time limit and a running task is
 * due at its start plus its limit: at that time, its tasks are to be ended. A held job is due at
 * once. No job is due before the time until which it is spared (C_COST_SPARED_TO).
 */
#include "engine/verify/verify_jobs.h"
#include "engine/verify_arrays/verify_arrays.h"

#include "engine/verify/verify_gates.h"
#include "engine/verify/verify_device.h"
#include "engine/verify/verify_read.h"

enum { PHASE_NEW = 0, PHASE_REFUSED = 1, PHASE_QUEUED = 2, PHASE_FULL = 3, PHASE_RELEASING = 4 };
enum { KIND_START = 0, KIND_GROW = 1, KIND_REPAIR = 2, KIND_ALONE = 3, KIND_GROW_ALONE = 4 };
enum { STATE_ACTIVE = 1, STATE_PARKED = 2, MIN_LATE = 0x40 };

/* Counts for each leaf group the tasks that are placed or done. Nominated tasks count only if
 * `nominated` is 1. */
static void verify_jobs_count_members(const struct columns *k, uint32_t job, int nominated,
                                      uint32_t *held) {
    memset(held, 0, LSCHED_GROUPS_PER_JOB_MAX * sizeof *held);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            held[k->c[C_LEAF_GROUP].u32[l]] +=
                nominated || verify_state_of(k, t) != LSCHED_TASK_NOMINATED;
}

void verify_jobs_held(const struct columns *k, uint32_t job, uint32_t *held) {
    verify_jobs_count_members(k, job, 1, held);
}

int verify_jobs_satisfied(const struct columns *k, uint32_t job, const uint32_t *held) {
    uint32_t good[LSCHED_GROUPS_PER_JOB_MAX] = {0},
             n = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    for (uint32_t g = n; g-- > 0;) { /* children have higher indexes than their parents */
        uint32_t row = verify_group_row(k, job, g);
        int leaf = k->c[C_GROUP_SHAPE].u32[row] != NO_ROW;
        int stands = (leaf ? held[g] : good[g]) >= k->c[C_GROUP_MIN].u32[row];
        if (g == 0) return stands;
        good[k->c[C_GROUP_PARENT].u32[row]] += (uint32_t)stands;
    }
    return 0;
}

/* ---- leaf groups ---- */

/* The task indexes that one leaf group uses, one bit for each index. The number of set bits must
 * equal the number of indexes that the group has ever given to tasks (C_LEAF_FRESH). */
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
        if (verify_placed(k, t)) charge += verify_device_amount(k, t, LSCHED_GPU);
        running += state == LSCHED_TASK_RUNNING;
        done += state == LSCHED_TASK_DONE;
    }
    if (placed != k->c[C_LEAF_PLACED].u32[leaf] || running != k->c[C_LEAF_RUNNING].u32[leaf] ||
        done != k->c[C_LEAF_DONE].u32[leaf])
        return check_fail(
            c,
            "%s, group %u: counts %u placed, %u running and %u done tasks, but there are "
            "%u, %u and %u",
            NAME(T_JOB, job), k->c[C_LEAF_GROUP].u32[leaf], k->c[C_LEAF_PLACED].u32[leaf],
            k->c[C_LEAF_RUNNING].u32[leaf], k->c[C_LEAF_DONE].u32[leaf], placed, running, done);
    if (k->c[C_LEAF_CHARGE].i64[leaf] != charge)
        return check_fail(
            c,
            "%s, group %u: counts a charge of %lld milli-GPU, but its tasks are charged "
            "%lld",
            NAME(T_JOB, job), k->c[C_LEAF_GROUP].u32[leaf],
            (long long)k->c[C_LEAF_CHARGE].i64[leaf], verify_shown(charge));
    if (placed + done + k->c[C_LEAF_LEAVING].u32[leaf] == 0)
        return check_fail(c, "%s, group %u: it has a leaf row, but nothing to record there",
                          NAME(T_JOB, job), k->c[C_LEAF_GROUP].u32[leaf]);
    memset(x->bit, 0, ((size_t)fresh + 63) / 64 * 8);
    /* A releasing task can have the same index as the waiting task that replaces it. Therefore the
     * bits of releasing tasks are cleared before the other tasks are marked. */
    int32_t rc = mark_indexes(c, x, leaf, C_LEAF_LEAVING_FIRST, &rows);
    memset(x->bit, 0, ((size_t)fresh + 63) / 64 * 8);
    rows = 0;
    if (rc == LSCHED_OK) rc = mark_indexes(c, x, leaf, C_LEAF_TASK_FIRST, &rows);
    if (rc == LSCHED_OK) rc = mark_indexes(c, x, leaf, C_LEAF_AGAIN_FIRST, &rows);
    if (rc == LSCHED_OK && rows != fresh)
        rc = check_fail(c, "%s, group %u: counts %u tasks that have begun, but %u have rows",
                        NAME(T_JOB, job), k->c[C_LEAF_GROUP].u32[leaf], fresh, rows);
    return rc;
}

/* ---- jobs ---- */

struct gang_standing {
    uint32_t placed, done, proposed, nominated, releasing;
    int satisfied, full;
    int stands; /* 1 if the gang has its minimum without counting its nominated tasks */
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
    verify_jobs_held(k, job, held);
    s->satisfied = verify_jobs_satisfied(k, job, held);
    verify_jobs_count_members(k, job, 0, held);
    s->stands = verify_jobs_satisfied(k, job, held);
    s->full = s->placed + s->done == k->c[C_JOBSHAPE_TASKS].u32[shape];
}

/* Returns the flags in the job's shape, which are the first word of the shape's bytes. Jobs with
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
    uint32_t alone = wanted == KIND_GROW && !verify_gates_holds(k->c[C_BUNDLE_CODE].u8[b])
                         ? KIND_GROW_ALONE
                         : KIND_ALONE;
    if (kind != wanted && kind != alone)
        return check_fail(c, "%s is in a bundle of kind %u; expected kind %u", NAME(T_JOB, job),
                          kind, wanted);
    int own = kind >= KIND_REPAIR ||
              (kind == KIND_GROW &&
               (k->c[C_JOBSHAPE_N_LEAVES].u32[shape] > 1 || k->c[C_JOBSHAPE_PINNED].u8[shape]));
    if (k->c[C_BUNDLE_JOB].u32[b] != (own ? job : NO_ROW) ||
        k->c[C_BUNDLE_QUEUE].u32[b] != k->c[C_JOB_QUEUE].u32[job] ||
        k->c[C_BUNDLE_SHAPE].u32[b] != shape)
        return check_fail(c, "%s is in a bundle whose jobs are not equal to it", NAME(T_JOB, job));
    return LSCHED_OK;
}

/* Checks the job's flags and the queue to which the job was submitted. */
static int32_t check_submitted(struct check *c, uint32_t job) {
    const struct columns *k = c->k;
    uint32_t flags = k->c[C_JOB_FLAGS].u8[job], phase = k->c[C_JOB_PHASE].u8[job];
    if ((flags & 0x80u) && phase != PHASE_REFUSED)
        return check_fail(c, "%s is marked as refused by a failed hook, but it is in phase %u",
                          NAME(T_JOB, job), phase);
    if (flags_of(k, job) != (flags & 0x3Fu))
        return check_fail(c, "%s has flags %u, its shape %u", NAME(T_JOB, job), flags,
                          flags_of(k, job));
    if (k->c[C_QUEUE_CHILD].u32[k->c[C_JOB_QUEUE].u32[job]] != NO_ROW)
        return check_fail(c, "%s is in a queue that has children", NAME(T_JOB, job));
    if (!meta(k, M_RANKED) && k->c[C_JOB_RANK].i32[job] != k->c[C_JOB_PRIORITY].i32[job])
        return check_fail(c, "%s has the priority %d, but the rank %d, which no hook gave",
                          NAME(T_JOB, job), k->c[C_JOB_PRIORITY].i32[job],
                          k->c[C_JOB_RANK].i32[job]);
    return LSCHED_OK;
}

static int32_t check_job(struct check *c, uint32_t job) {
    const struct columns *k = c->k;
    struct gang_standing s;
    verify_jobs_standing_of(k, job, &s);
    uint32_t phase = k->c[C_JOB_PHASE].u8[job], cost = k->c[C_JOB_COST].u32[job];
    if (s.proposed && !s.stands)
        return check_fail(
            c,
            "%s has %u proposed tasks, but without its %u nominations it is below its "
            "minimum",
            NAME(T_JOB, job), s.proposed, s.nominated);
    if (s.nominated && !s.satisfied)
        return check_fail(c, "%s has %u nominated tasks, but it is below its minimum",
                          NAME(T_JOB, job), s.nominated);
    if (s.full != (phase == PHASE_FULL))
        return check_fail(c,
                          "%s is in phase %u, which is wrong for %u placed and %u done of %u tasks",
                          NAME(T_JOB, job), phase, s.placed, s.done,
                          k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]]);
    int waits = phase == PHASE_QUEUED || phase == PHASE_RELEASING;
    if (waits && (phase == PHASE_RELEASING) != (s.releasing > 0))
        return check_fail(c, "%s is in phase %u, although %u of its tasks are releasing",
                          NAME(T_JOB, job), phase, s.releasing);
    if (phase != PHASE_REFUSED && k->c[C_JOB_REASON].u32[job] != NO_ROW)
        return check_fail(c, "%s has the reason of a refusal in phase %u, where no job has one",
                          NAME(T_JOB, job), phase);
    int stale = cost != NO_ROW && k->c[C_COST_STALE_SINCE].i64[cost] != LSCHED_NEVER_US;
    if (stale != (!s.satisfied && s.placed > 0))
        return check_fail(c,
                          "%s is %s a stale gang, but it has %u placed tasks and its minimum is %s",
                          NAME(T_JOB, job), stale ? "called" : "not called", s.placed,
                          s.satisfied ? "reached" : "not reached");
    int32_t rc = check_submitted(c, job);
    return rc == LSCHED_OK && phase == PHASE_QUEUED ? check_bundle_of(c, job, &s) : rc;
}

/* ---- bundles ---- */

static int32_t check_bundles(struct check *c) {
    const struct columns *k = c->k;
    size_t bytes = ((size_t)table_rows(k, T_BUNDLE) + 1) * sizeof(uint32_t);
    uint32_t *count = alloc_zero(k->alloc, bytes);
    if (!count) return check_nomem(c);
    int32_t rc = LSCHED_OK;
    uint64_t active = 0, parked = 0;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++)
        if (row_is_live(k, T_JOB, j) && k->c[C_JOB_BUNDLE].u32[j] != NO_ROW)
            count[k->c[C_JOB_BUNDLE].u32[j]] += verify_arrays_jobs(k, j);
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE) && rc == LSCHED_OK; b++) {
        if (!row_is_live(k, T_BUNDLE, b)) continue;
        int is_active = k->c[C_BUNDLE_STATE].u8[b] == STATE_ACTIVE;
        if (count[b] == 0 || count[b] != k->c[C_BUNDLE_JOBS].u32[b])
            rc = check_fail(c, "the bundle of %s counts %u jobs, but has %u",
                            NAME(T_JOB, k->c[C_BUNDLE_HEAP].u32[b]), k->c[C_BUNDLE_JOBS].u32[b],
                            count[b]);
        else if (is_active != (k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_NONE))
            rc = check_fail(c, "the bundle of %s is %s, but its wait reason is %u",
                            NAME(T_JOB, k->c[C_BUNDLE_HEAP].u32[b]),
                            is_active ? "active" : "parked", k->c[C_BUNDLE_CODE].u8[b]);
        else if (k->c[C_BUNDLE_GROUP].u32[b] >=
                     k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_BUNDLE_SHAPE].u32[b]] ||
                 k->c[C_BUNDLE_TRIED].u64[b] > meta(k, M_CYCLE))
            rc = check_fail(
                c,
                "the bundle of %s names group %u and cycle %llu, and one of them does not "
                "exist",
                NAME(T_JOB, k->c[C_BUNDLE_HEAP].u32[b]), k->c[C_BUNDLE_GROUP].u32[b],
                (unsigned long long)k->c[C_BUNDLE_TRIED].u64[b]);
        active += (uint64_t)is_active;
        parked += is_active ? 0 : count[b];
    }
    alloc_free(k->alloc, count, bytes);
    if (rc == LSCHED_OK) rc = verify_counter(c, M_ACTIVE, active, "active bundles");
    return rc == LSCHED_OK ? verify_counter(c, M_PARKED_JOBS, parked, "parked jobs") : rc;
}

/* ---- time limits, held jobs, and minimums that the policy replaced ---- */

struct run {
    int64_t since, /* stored start of the job, 0 if it has none */
        first;     /* earliest start of a running task, 0 if none runs */
    uint32_t running, releasing;
};

static struct run run_of(const struct columns *k, uint32_t job) {
    struct run r = {0, 0, 0, 0};
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        int64_t s = k->c[C_LEAF_SINCE].i64[l];
        if (s && (r.since == 0 || s < r.since)) r.since = s;
        r.releasing += k->c[C_LEAF_LEAVING].u32[l];
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            if (verify_state_of(k, t) != LSCHED_TASK_RUNNING) continue;
            r.running++;
            s = k->c[C_TASK_SINCE].i64[t];
            if (s && (r.first == 0 || s < r.first)) r.first = s;
        }
    }
    return r;
}

static int32_t check_since(struct check *c, uint32_t job, const struct run *r) {
    if (r->running + r->releasing == 0 && r->since)
        return check_fail(c, "%s is recorded as running since %lld, but none of its tasks runs",
                          NAME(T_JOB, job), (long long)r->since);
    uint32_t cost = c->k->c[C_JOB_COST].u32[job];
    if (r->running + r->releasing == 0 && cost != NO_ROW && c->k->c[C_COST_SPARED_TO].i64[cost])
        return check_fail(c, "%s is recorded as spared, but none of its tasks runs",
                          NAME(T_JOB, job));
    if (r->first && (r->since == 0 || r->since > r->first))
        return check_fail(
            c, "%s is recorded as running since %lld, but one of its tasks runs since %lld",
            NAME(T_JOB, job), (long long)r->since, (long long)r->first);
    return LSCHED_OK;
}

static int64_t due_of(const struct columns *k, uint32_t job, uint32_t w, int64_t since) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    wide_i128 due = since, spared = cost == NO_ROW ? 0 : k->c[C_COST_SPARED_TO].i64[cost];
    if (!k->c[C_WATCH_HELD].u8[w]) due += k->c[C_WATCH_LIMIT_NOW].i64[w];
    if (due > LSCHED_AMOUNT_MAX) due = LSCHED_AMOUNT_MAX;
    return (int64_t)(due < spared ? spared : due);
}

static int32_t check_due(struct check *c, uint32_t job, uint32_t w, const struct run *r) {
    const struct columns *k = c->k;
    int watched = k->c[C_WATCH_LIMIT_NOW].i64[w] > 0 || k->c[C_WATCH_HELD].u8[w];
    int due = watched && r->running > 0, inside = k->c[C_WATCH_HEAP_D].u8[w] != 0;
    if (due != inside || (due && k->c[C_WATCH_DUE].i64[w] != due_of(k, job, w, r->since)))
        return check_fail(
            c,
            "%s is %s at %lld, but it has %u tasks that run since %lld, and a limit of "
            "%lld",
            NAME(T_JOB, job), inside ? "due" : "not due", (long long)k->c[C_WATCH_DUE].i64[w],
            r->running, (long long)r->since, (long long)k->c[C_WATCH_LIMIT_NOW].i64[w]);
    return LSCHED_OK;
}

static int32_t check_minimum(struct check *c, uint32_t job, uint32_t w) {
    const struct columns *k = c->k;
    uint32_t given = k->c[C_WATCH_MIN].u32[w], row = verify_group_row(k, job, 0);
    if (given == 0) return LSCHED_OK;
    if (k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]] != 1 ||
        k->c[C_GROUP_LEAST].u32[row] == given - 1 || given - 1 > k->c[C_GROUP_SPAN].u32[row])
        return check_fail(c, "%s has a minimum of %u tasks; expected %u", NAME(T_JOB, job),
                          k->c[C_GROUP_LEAST].u32[row], given - 1);
    return LSCHED_OK;
}

/* Checks that no task of a job that the orchestrator or its gate holds is to start. */
static int32_t check_host_hold(struct check *c, uint32_t job) {
    const struct columns *k = c->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t state = verify_state_of(k, t);
            if (state == LSCHED_TASK_PROPOSED || state == LSCHED_TASK_NOMINATED)
                return check_fail(c, "%s is held, but its task %u is %s", NAME(T_JOB, job),
                                  k->c[C_TASK_INDEX].u32[t],
                                  state == LSCHED_TASK_PROPOSED ? "proposed" : "nominated");
        }
    return LSCHED_OK;
}

/* Returns the wait code that the holds of the job require; LSCHED_WAIT_NONE if it has no hold. Sets
 * *until to the end of a hold that is not by a rule. */
static uint32_t hold_code(const struct columns *k, uint32_t w, int64_t *until) {
    *until = LSCHED_NEVER_US;
    if (w == NO_ROW) return LSCHED_WAIT_NONE;
    if (k->c[C_WATCH_HOST_UNTIL].i64[w]) {
        *until = k->c[C_WATCH_HOST_UNTIL].i64[w];
        return LSCHED_WAIT_HOST_HOLD;
    }
    if (k->c[C_WATCH_CLOSED].u8[w] && k->c[C_WATCH_GATE].u32[w])
        return verify_gates_code(k, k->c[C_WATCH_GATE].u32[w] - 1, until);
    return k->c[C_WATCH_HELD].u8[w] ? LSCHED_WAIT_HELD : LSCHED_WAIT_NONE;
}

/* Checks that a held job waits in a bundle of its own with the code of its hold, and that this
 * bundle is parked until the hold ends. Checks that no other job waits with such a code. */
static int32_t check_hold(struct check *c, uint32_t job, uint32_t w) {
    const struct columns *k = c->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], held = w == NO_ROW ? 0 : k->c[C_WATCH_HELD].u8[w];
    int64_t until;
    uint32_t cost = k->c[C_JOB_COST].u32[job], wanted = hold_code(k, w, &until);
    int not_by_rule = wanted != LSCHED_WAIT_NONE && wanted != LSCHED_WAIT_HELD;
    if (cost != NO_ROW && !held && k->c[C_COST_HELD_US].i64[cost])
        return check_fail(c, "%s has a reason for being held, but it is not held",
                          NAME(T_JOB, job));
    if (not_by_rule) {
        int32_t rc = check_host_hold(c, job);
        if (rc != LSCHED_OK) return rc;
    }
    if (k->c[C_JOB_PHASE].u8[job] != PHASE_QUEUED) return LSCHED_OK;
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    int parked =
        k->c[C_BUNDLE_KIND].u8[b] == KIND_ALONE && k->c[C_BUNDLE_STATE].u8[b] == STATE_PARKED;
    int sound = wanted == LSCHED_WAIT_NONE ? !verify_gates_holds(code) : parked && code == wanted;
    if (!sound)
        return check_fail(c, "%s is %s, but its bundle waits with reason %u", NAME(T_JOB, job),
                          wanted ? "held" : "not held", code);
    if (not_by_rule && k->c[C_BUNDLE_UNTIL].i64[b] != until)
        return check_fail(c, "%s is held until %lld, but its bundle waits until %lld",
                          NAME(T_JOB, job), (long long)until,
                          (long long)k->c[C_BUNDLE_UNTIL].i64[b]);
    return LSCHED_OK;
}

/* Returns the number of tasks of a leaf group that may have a place at the same time: those that
 * exist, in whole task blocks. */
static uint32_t members_of(const struct columns *k, uint32_t row) {
    uint32_t n = k->c[C_GROUP_MEMBERS].u32[row], block = 1;
    if (k->c[C_GROUP_N_SLICES].u8[row]) block = k->c[C_GROUP_SLICE_TASKS0].u32[row];
    return n / block * block;
}

/* True if a leaf group of the job has no task to place because the others do not exist yet. */
static int lacks_members(const struct columns *k, uint32_t job) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[shape];
    for (uint32_t g = first; g < first + k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++)
        if (k->c[C_GROUP_CHILDREN].u32[g] == 0 && members_of(k, g) < k->c[C_GROUP_MAX].u32[g])
            return 1;
    return 0;
}

/* Checks that no task has a place that the scheduler chose before the task exists, and that only
 * jobs with absent tasks wait for members. */
static int32_t check_job_members(struct check *c, uint32_t job) {
    const struct columns *k = c->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t row = verify_group_row(k, job, k->c[C_LEAF_GROUP].u32[l]), n = 0;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            n += k->c[C_TASK_NODE].u32[t] != NO_ROW && !k->c[C_TASK_IMPORTED].u8[t];
        if (n > members_of(k, row))
            return check_fail(c, "%s has a place for %u tasks of group %u, of which %u exist",
                              NAME(T_JOB, job), n, k->c[C_LEAF_GROUP].u32[l], members_of(k, row));
    }
    if (k->c[C_JOB_PHASE].u8[job] != PHASE_QUEUED ||
        k->c[C_BUNDLE_CODE].u8[k->c[C_JOB_BUNDLE].u32[job]] != LSCHED_WAIT_MEMBERS ||
        lacks_members(k, job))
        return LSCHED_OK;
    return check_fail(c, "%s waits for members, but all of its tasks exist", NAME(T_JOB, job));
}

/* Checks the sizes that groups choose when they start: a job without tasks has none, and a group
 * that has tasks has one, which these tasks do not exceed. */
static int32_t check_sizes(struct check *c, uint32_t job) {
    const struct columns *k = c->k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    for (uint32_t g = 0; g < n && k->c[C_JOB_LEAVES].u32[job] == NO_ROW; g++)
        if (k->c[C_GROUP_SIZE].u32[verify_group_row(k, job, g)])
            return check_fail(c, "%s has no tasks, but its group %u has the chosen size %u",
                              NAME(T_JOB, job), g,
                              k->c[C_GROUP_SIZE].u32[verify_group_row(k, job, g)]);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t row = verify_group_row(k, job, k->c[C_LEAF_GROUP].u32[l]), held = 0;
        if (!k->c[C_GROUP_FIXED].u8[row]) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            held++;
        if (k->c[C_GROUP_SIZE].u32[row] == 0 || held > k->c[C_GROUP_SIZE].u32[row])
            return check_fail(c, "%s has %u tasks in group %u, whose size is fixed at %u",
                              NAME(T_JOB, job), held, k->c[C_LEAF_GROUP].u32[l],
                              k->c[C_GROUP_SIZE].u32[row]);
    }
    return LSCHED_OK;
}

static int32_t check_limits_of_jobs(struct check *c) {
    const struct columns *k = c->k;
    uint64_t late = 0;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j)) continue;
        struct run r = run_of(k, j);
        uint32_t w = k->c[C_JOB_WATCH].u32[j];
        late += (k->c[C_JOB_FLAGS].u8[j] & MIN_LATE) != 0;
        int32_t rc = check_since(c, j, &r);
        if (rc == LSCHED_OK) rc = check_hold(c, j, w);
        if (rc == LSCHED_OK && w != NO_ROW) rc = check_due(c, j, w, &r);
        if (rc == LSCHED_OK && w != NO_ROW) rc = check_minimum(c, j, w);
        if (rc != LSCHED_OK) return rc;
    }
    return verify_counter(c, M_MIN_LATE, late,
                          "jobs for which the hook gang_minimum must still be called");
}

int32_t verify_jobs(struct check *c) {
    const struct columns *k = c->k;
    struct indexes x = {alloc_new(k->alloc, INDEX_BYTES)};
    if (!x.bit) return check_nomem(c);
    int32_t rc = LSCHED_OK;
    for (uint32_t l = 0; l < table_rows(k, T_LEAF) && rc == LSCHED_OK; l++)
        if (row_is_live(k, T_LEAF, l)) rc = verify_jobs_check_leaf(c, &x, l);
    alloc_free(k->alloc, x.bit, INDEX_BYTES);
    if (rc == LSCHED_OK) rc = verify_each(c, T_JOB, check_job);
    if (rc == LSCHED_OK) rc = verify_each(c, T_JOB, check_job_members);
    if (rc == LSCHED_OK) rc = verify_each(c, T_JOB, check_sizes);
    if (rc == LSCHED_OK) rc = check_bundles(c);
    return rc == LSCHED_OK ? check_limits_of_jobs(c) : rc;
}
