/*
 * verify_queues.c -- see verify_queues.h. Resource kind 0 ("any kind") has no sums.
 *
 * All sums except decayed use are computed again from jobs and tasks. The amounts of each job or
 * task are added directly to all queues above it; no sum is built from another sum. The
 * non-preemptible use (`core`) counts only the groups that are in the minimum of their job. This
 * file finds these groups by counting how many sibling groups come before a group. The model
 * instead chooses the best sibling again and again. Decayed use cannot be computed again from the
 * state. Therefore only its bounds are checked, and that it is empty where no decayed use is kept.
 * Limits are not checked here, because a limit can have been lowered below the use, and an import
 * can exceed a limit. verify_plan checks the limits for the decisions of a plan.
 */
#include "engine/verify/verify_queues.h"
#include "engine/verify_arrays/verify_arrays.h"

#include "engine/verify/verify_device.h"
#include "engine/verify/verify_read.h"
#include "model/queues/usage_decay.h"
#include "model/queues/user_queue.h"

struct queue_sums {
    /* Arrays with one amount for each queue and resource kind, at [queue * kinds + kind]:
     *   used    use of the queue
     *   demand  demand of the queue
     *   core    non-preemptible use of the queue
     *   below   amount that the queue's children do not lend; one more row has that of the roots */
    wide_i128 *used, *demand, *core, *below;
    uint64_t *jobs, *pending, *holders, all_pending;
    wide_i128 asked[KINDS_MAX];
    uint32_t kinds, queues;
    size_t bytes;
};

static int32_t sums_open(struct check *c, struct queue_sums *s) {
    memset(s, 0, sizeof *s);
    s->kinds = verify_kinds(c->k);
    s->queues = table_rows(c->k, T_QUEUE);
    size_t rows = s->queues + 1ul, cells = rows * s->kinds;
    s->bytes = cells * 4 * sizeof(wide_i128) + rows * 3 * sizeof(uint64_t);
    s->used = alloc_zero(c->k->alloc, s->bytes);
    if (!s->used) return check_nomem(c);
    s->demand = s->used + cells;
    s->core = s->demand + cells;
    s->below = s->core + cells;
    s->jobs = (uint64_t *)(void *)(s->below + cells);
    s->pending = s->jobs + rows;
    s->holders = s->pending + rows;
    return LSCHED_OK;
}

/* ---- tasks and jobs ---- */

static void add_task(const struct columns *k, struct queue_sums *s, uint32_t task) {
    for (uint32_t r = 1; r < s->kinds; r++)
        verify_add_up(k, verify_queue_of(k, task), s->used + r, s->kinds,
                      verify_device_amount(k, task, r));
}

struct leaf_tree {
    uint32_t n, placed[LSCHED_GROUPS_PER_JOB_MAX], done[LSCHED_GROUPS_PER_JOB_MAX];
    /* amounts that the placed tasks of each group are charged */
    wide_i128 charge[LSCHED_GROUPS_PER_JOB_MAX][KINDS_MAX];
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX], good[LSCHED_GROUPS_PER_JOB_MAX];
    uint8_t stands[LSCHED_GROUPS_PER_JOB_MAX], core[LSCHED_GROUPS_PER_JOB_MAX];
    int holds;
};

/* Sets the tree to zero for n groups; the arrays behind the n groups are not used. */
static void tree_begin(struct leaf_tree *t, uint32_t n) {
    t->n = n;
    t->holds = 0;
    for (uint32_t g = 0; g < n; g++) {
        t->placed[g] = t->done[g] = t->held[g] = t->good[g] = 0;
        t->stands[g] = t->core[g] = 0;
        memset(t->charge[g], 0, sizeof t->charge[g]);
    }
}

static void read_tree(const struct columns *k, uint32_t job, struct leaf_tree *t) {
    tree_begin(t, k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]]);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l], task = k->c[C_LEAF_TASK_FIRST].u32[l];
        for (; task != NO_ROW; task = k->c[C_TASK_NEXT].u32[task]) {
            int placed = verify_placed(k, task);
            t->placed[g] += (uint32_t)placed;
            for (uint32_t r = 1; placed && r < verify_kinds(k); r++)
                t->charge[g][r] += verify_device_amount(k, task, r);
            t->done[g] += (uint32_t)!placed;
            t->holds |= placed;
        }
    }
    for (uint32_t g = t->n; g-- > 0;) { /* children have higher indexes than their parents */
        uint32_t row = verify_group_row(k, job, g);
        int leaf = k->c[C_GROUP_SHAPE].u32[row] != NO_ROW;
        t->held[g] += t->placed[g] + t->done[g];
        t->stands[g] = (leaf ? t->held[g] : t->good[g]) >= k->c[C_GROUP_MIN].u32[row];
        if (g == 0) break;
        t->held[k->c[C_GROUP_PARENT].u32[row]] += t->held[g];
        t->good[k->c[C_GROUP_PARENT].u32[row]] += t->stands[g];
    }
}

/* Returns the number of sibling groups that come before group g. A group that has its minimum comes
 * before one that has not. Among equals, the group that holds more tasks comes first, then the
 * group with the lower index. */
static uint32_t verify_queues_rank_of(const struct columns *k, uint32_t job,
                                      const struct leaf_tree *t, uint32_t g) {
    uint32_t parent = k->c[C_GROUP_PARENT].u32[verify_group_row(k, job, g)], rank = 0;
    for (uint32_t s = 1; s < t->n; s++) {
        if (s == g || k->c[C_GROUP_PARENT].u32[verify_group_row(k, job, s)] != parent) continue;
        int before = t->stands[s] != t->stands[g] ? t->stands[s]
                     : t->held[s] != t->held[g]   ? t->held[s] > t->held[g]
                                                  : s < g;
        rank += (uint32_t)before;
    }
    return rank;
}

static void add_up(const struct columns *k, const struct queue_sums *s, uint32_t job,
                   uint32_t shape, int64_t n, wide_i128 *sums) {
    for (uint32_t r = 1; n && r < s->kinds; r++)
        verify_add_up(k, k->c[C_JOB_QUEUE].u32[job], sums + r, s->kinds,
                      (wide_i128)k->c[C_SHAPE_REQ + r].i64[shape] * n);
}

/* Returns the largest amount of a resource kind that a task of the leaf group asks for in any of
 * its alternatives. */
static int64_t most_of(const struct columns *k, uint32_t row, uint32_t kind) {
    int64_t most = k->c[C_SHAPE_REQ + kind].i64[k->c[C_GROUP_SHAPE].u32[row]];
    for (uint32_t a = 1; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
        int64_t req = k->c[C_SHAPE_REQ + kind].i64[group_alternative(k, row, a)];
        if (req > most) most = req;
    }
    return most;
}

static uint32_t shape_in_force(const struct columns *k, uint32_t job, uint32_t g, uint32_t row) {
    uint32_t l = k->c[C_JOB_LEAVES].u32[job];
    while (l != NO_ROW && k->c[C_LEAF_GROUP].u32[l] != g) l = k->c[C_LEAF_NEXT].u32[l];
    return group_alternative(k, row, l == NO_ROW ? 0 : k->c[C_LEAF_ALTERNATIVE].u8[l]);
}

/* Corrects the sums of one leaf group. Before the call, the sums have the amounts that the
 * tasks ask for. After the call, they have the amounts that the placed tasks are charged. `core` of
 * the group's `placed` tasks count as non-preemptible use, with the portion core / placed of the
 * charge. */
static void add_exact(const struct columns *k, const struct queue_sums *s, uint32_t job,
                      uint32_t shape, uint32_t placed, const wide_i128 *charge, int64_t core) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    for (uint32_t r = 1; r < s->kinds; r++) {
        wide_i128 nominal = k->c[C_SHAPE_REQ + r].i64[shape];
        if (charge[r] == nominal * placed) continue;
        verify_add_up(k, queue, s->demand + r, s->kinds, charge[r] - nominal * placed);
        if (core)
            verify_add_up(k, queue, s->core + r, s->kinds,
                          charge[r] * core / placed - nominal * core);
    }
}

/* Returns the number of tasks of the leaf group that exist, in whole task blocks. */
static uint32_t existing(const struct columns *k, uint32_t row) {
    uint32_t all = k->c[C_GROUP_MAX].u32[row], n = k->c[C_GROUP_MEMBERS].u32[row];
    if (n >= all) return all;
    uint32_t block = k->c[C_GROUP_N_SLICES].u8[row] ? k->c[C_GROUP_SLICE_TASKS0].u32[row] : 1;
    return n / block * block;
}

/* True if the job could have its minimum with the tasks that exist. */
static int can_stand(const struct columns *k, uint32_t job, uint32_t n) {
    uint32_t stand[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    for (uint32_t g = n; g-- > 1;) {
        uint32_t row = verify_group_row(k, job, g), min = k->c[C_GROUP_MIN].u32[row];
        int leaf = k->c[C_GROUP_SHAPE].u32[row] != NO_ROW;
        stand[k->c[C_GROUP_PARENT].u32[row]] += (leaf ? existing(k, row) : stand[g]) >= min;
    }
    uint32_t root = verify_group_row(k, job, 0);
    uint32_t have = k->c[C_GROUP_SHAPE].u32[root] != NO_ROW ? existing(k, root) : stand[0];
    return have >= k->c[C_GROUP_MIN].u32[root];
}

/* True if waiting tasks of the job can start as far as the job alone decides: it is admitted, not
 * held, and has its minimum or enough tasks to reach it. */
static int can_start(const struct columns *k, uint32_t job, const struct leaf_tree *t) {
    enum { PHASE_REFUSED = 1 };
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    if (k->c[C_JOB_PHASE].u8[job] <= PHASE_REFUSED) return 0;
    if (w != NO_ROW && k->c[C_WATCH_HELD].u8[w] != 0) return 0;
    if (w != NO_ROW && k->c[C_WATCH_HOST_UNTIL].i64[w] != 0) return 0;
    if (w != NO_ROW && k->c[C_WATCH_CLOSED].u8[w]) return 0;
    return (t->n > 0 && t->stands[0]) || can_stand(k, job, t->n);
}

static void add_job(const struct columns *k, struct queue_sums *s, uint32_t job) {
    enum { PHASE_FULL = 3 };
    struct leaf_tree t;
    read_tree(k, job, &t);
    int starts = can_start(k, job, &t);
    uint32_t jobs = verify_arrays_jobs(k, job);
    int firm = k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE;
    wide_i128 asked[KINDS_MAX] = {0};
    t.core[0] = 1;
    for (uint32_t g = 0; g < t.n; g++) {
        uint32_t row = verify_group_row(k, job, g), shape = k->c[C_GROUP_SHAPE].u32[row];
        uint32_t above = verify_group_row(k, job, g ? k->c[C_GROUP_PARENT].u32[row] : 0);
        if (g)
            t.core[g] = t.core[k->c[C_GROUP_PARENT].u32[row]] &&
                        verify_queues_rank_of(k, job, &t, g) < k->c[C_GROUP_MIN].u32[above];
        if (shape == NO_ROW) continue;
        int64_t min = k->c[C_GROUP_MIN].u32[row], max = k->c[C_GROUP_MAX].u32[row];
        int64_t needed = min > t.done[g] ? min - t.done[g] : 0;
        for (uint32_t r = 1; r < s->kinds; r++)
            asked[r] += (wide_i128)most_of(k, row, r) * max * jobs;
        shape = shape_in_force(k, job, g, row);
        int64_t asks = (int64_t)existing(k, row) - t.placed[g] - t.done[g];
        if (!starts || asks < 0) asks = 0;
        asks *= jobs;
        add_up(k, s, job, shape, t.placed[g] + asks, s->demand);
        int64_t core = !firm || !t.core[g] ? 0 : needed < t.placed[g] ? needed : t.placed[g];
        add_up(k, s, job, shape, core, s->core);
        add_exact(k, s, job, shape, t.placed[g], t.charge[g], core);
    }
    for (uint32_t r = 1; r < s->kinds; r++)
        if (asked[r] > s->asked[r]) s->asked[r] = asked[r];
    uint32_t pending = k->c[C_JOB_PHASE].u8[job] == PHASE_FULL ? 0 : jobs;
    s->all_pending += pending;
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        s->jobs[q] += jobs;
        s->pending[q] += pending;
        s->holders[q] += (uint64_t)t.holds;
    }
}

static wide_i128 wide_of(uint64_t lo, uint64_t hi) {
    return (wide_i128)((wide_u128)hi << 64 | lo);
}

/* ---- the sums of one queue ---- */

static int32_t check_use(struct check *c, uint32_t q, const struct queue_sums *s) {
    const struct columns *k = c->k;
    for (uint32_t r = 1; r < s->kinds; r++) {
        wide_i128 held = s->used[(size_t)q * s->kinds + r];
        if ((wide_i128)k->c[C_QUEUE_USED + r].i64[q] != held)
            return check_fail(c, "%s records a use of %lld of %s, but its tasks hold %lld",
                              NAME(T_QUEUE, q), (long long)k->c[C_QUEUE_USED + r].i64[q],
                              NAME(T_KIND, r), verify_shown(held));
    }
    if (k->c[C_QUEUE_JOBS].u64[q] != s->jobs[q] || k->c[C_QUEUE_PENDING].u64[q] != s->pending[q])
        return check_fail(
            c, "%s counts %llu jobs, of which %llu are pending, but there are %llu and %llu",
            NAME(T_QUEUE, q), (unsigned long long)k->c[C_QUEUE_JOBS].u64[q],
            (unsigned long long)k->c[C_QUEUE_PENDING].u64[q], (unsigned long long)s->jobs[q],
            (unsigned long long)s->pending[q]);
    return LSCHED_OK;
}

/* Checks the sums of one queue. Resource kind 0 means "any kind"; its sums must be 0. */
static int32_t check_sums(struct check *c, const struct queue_sums *s, uint32_t q) {
    const struct columns *k = c->k;
    for (uint32_t r = 0; r < s->kinds; r++) {
        wide_i128 demand = s->demand[(size_t)q * s->kinds + r],
                  core = s->core[(size_t)q * s->kinds + r];
        int64_t shown = demand > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)demand;
        if (k->c[C_QUEUE_DEMAND + r].i64[q] != shown ||
            wide_of(k->c[C_QUEUE_DEMAND_LO + r].u64[q], k->c[C_QUEUE_DEMAND_HI + r].u64[q]) !=
                demand)
            return check_fail(c, "%s records a demand of %lld of %s, but its jobs ask for %lld",
                              NAME(T_QUEUE, q), (long long)k->c[C_QUEUE_DEMAND + r].i64[q],
                              NAME(T_KIND, r), verify_shown(demand));
        if ((wide_i128)k->c[C_QUEUE_CORE + r].i64[q] != core)
            return check_fail(
                c, "%s records a non-preemptible use of %lld of %s, but this use is %lld",
                NAME(T_QUEUE, q), (long long)k->c[C_QUEUE_CORE + r].i64[q], NAME(T_KIND, r),
                verify_shown(core));
    }
    if (k->c[C_QUEUE_JOBS_HELD].u32[q] != s->holders[q])
        return check_fail(c, "%s counts %u jobs that hold something, but there are %llu",
                          NAME(T_QUEUE, q), k->c[C_QUEUE_JOBS_HELD].u32[q],
                          (unsigned long long)s->holders[q]);
    return LSCHED_OK;
}

/* ---- lending ---- */

/* Checks the amounts that one queue does not lend to its siblings. The caller visits deeper queues
 * first. Therefore s->below already has the amounts that the queue's children do not lend. */
static int32_t verify_queues_check_hold(struct check *c, const struct queue_sums *s, uint32_t q) {
    const struct columns *k = c->k;
    uint32_t parent = k->c[C_QUEUE_PARENT].u32[q], above = parent == NO_ROW ? s->queues : parent;
    for (uint32_t r = 0; r < s->kinds; r++) {
        wide_i128 right = k->c[C_QUEUE_RIGHT + r].i64[q],
                  below = s->below[(size_t)q * s->kinds + r];
        if (right < 0 || right > LSCHED_AMOUNT_MAX)
            return check_fail(c, "%s is guaranteed %lld of %s", NAME(T_QUEUE, q),
                              verify_shown(right), NAME(T_KIND, r));
        wide_i128 hold = right - k->c[C_QUEUE_USED + r].i64[q] - k->c[C_QUEUE_LEND + r].i64[q];
        if (k->c[C_QUEUE_LEND + r].i64[q] == LSCHED_UNLIMITED || hold < 0) hold = 0;
        if (below > hold) hold = below > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : below;
        if (k->c[C_QUEUE_HOLD + r].i64[q] != hold ||
            wide_of(k->c[C_QUEUE_BELOW_LO + r].u64[q], k->c[C_QUEUE_BELOW_HI + r].u64[q]) != below)
            return check_fail(c, "%s keeps %lld of %s from its siblings; expected %lld",
                              NAME(T_QUEUE, q), (long long)k->c[C_QUEUE_HOLD + r].i64[q],
                              NAME(T_KIND, r), verify_shown(hold));
        s->below[(size_t)above * s->kinds + r] += hold;
    }
    return LSCHED_OK;
}

static int32_t check_roots(struct check *c, const struct queue_sums *s, uint64_t lenders) {
    const struct columns *k = c->k;
    int32_t rc = verify_counter(c, M_LENDERS, lenders, "lend limits");
    if (rc != LSCHED_OK) return rc;
    for (uint32_t r = 0; r < KINDS_MAX; r++) {
        wide_i128 used = 0, below = r < s->kinds ? s->below[(size_t)s->queues * s->kinds + r] : 0;
        for (uint32_t q = 0; lenders && r && r < s->kinds && q < s->queues; q++)
            if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_PARENT].u32[q] == NO_ROW)
                used += k->c[C_QUEUE_USED + r].i64[q];
        if ((wide_i128)meta(k, M_ROOTS_USED + r) != used || s->asked[r] > LSCHED_AMOUNT_MAX ||
            wide_of(meta(k, M_ROOTS_LO + r), meta(k, M_ROOTS_HI + r)) != below)
            return check_fail(
                c,
                "resource kind %u has a wrong sum: largest request %lld, use of all queues "
                "%lld, amount that root queues keep %lld",
                r, verify_shown(s->asked[r]), verify_shown(used), verify_shown(below));
    }
    return LSCHED_OK;
}

static int32_t check_holds(struct check *c, const struct queue_sums *s) {
    const struct columns *k = c->k;
    int32_t rc = LSCHED_OK;
    uint64_t lenders = 0;
    for (uint32_t depth = LSCHED_QUEUE_DEPTH_MAX + 1; depth-- > 0 && rc == LSCHED_OK;)
        for (uint32_t q = 0; q < s->queues && rc == LSCHED_OK; q++)
            if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_DEPTH].u32[q] == depth)
                rc = verify_queues_check_hold(c, s, q);
    for (uint32_t q = 0; q < s->queues; q++)
        for (uint32_t r = 1; row_is_live(k, T_QUEUE, q) && r < s->kinds; r++)
            lenders += k->c[C_QUEUE_LEND + r].i64[q] != LSCHED_UNLIMITED;
    return rc == LSCHED_OK ? check_roots(c, s, lenders) : rc;
}

/* ---- user queues ---- */

static int is_named_below(const struct columns *k, uint32_t q, uint32_t parent) {
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[q]),
                above = text_of(k, k->c[C_QUEUE_NAME].u32[parent]);
    int group = (k->c[C_QUEUE_FLAGS].u8[q] & LSCHED_QUEUE_IS_GROUP) != 0;
    if (name.len <= above.len + 1 || memcmp(name.ptr, above.ptr, (size_t)above.len) != 0) return 0;
    return name.ptr[above.len] == '/' && (name.ptr[above.len + 1] == '@') == group;
}

/* True if a queue can have these flags. The queue of a user must not have user queues below it. The
 * queue of a group must not have group queues below it. */
static int are_flags(uint32_t flags) {
    uint32_t of = flags & QUEUE_IS_OF_USER;
    if ((flags & ~(QUEUE_IS_OF_USER | QUEUE_DIVIDES)) != 0 || of == QUEUE_IS_OF_USER) return 0;
    return !(of == LSCHED_QUEUE_IS_USER && (flags & QUEUE_DIVIDES)) &&
           !(of == LSCHED_QUEUE_IS_GROUP && (flags & LSCHED_QUEUE_PER_GROUP));
}

static int32_t check_users(struct check *c, uint32_t q) {
    const struct columns *k = c->k;
    uint32_t flags = k->c[C_QUEUE_FLAGS].u8[q], parent = k->c[C_QUEUE_PARENT].u32[q],
             child = k->c[C_QUEUE_CHILD].u32[q], of = flags & QUEUE_IS_OF_USER;
    if (!are_flags(flags)) return check_fail(c, "%s has flags %#x", NAME(T_QUEUE, q), flags);
    if (of && (parent == NO_ROW || !is_named_below(k, q, parent)))
        return check_fail(
            c,
            "%s is the queue of a user or group, but its name does not begin with its "
            "parent's name",
            NAME(T_QUEUE, q));
    if ((flags & QUEUE_DIVIDES) && child == NO_ROW && k->c[C_QUEUE_JOBS].u64[q])
        return check_fail(c, "%s is divided by users, but it has jobs of its own",
                          NAME(T_QUEUE, q));
    if (parent != NO_ROW && !of && (k->c[C_QUEUE_FLAGS].u8[parent] & QUEUE_DIVIDES))
        return check_fail(c, "%s is below a queue that is divided by users", NAME(T_QUEUE, q));
    for (uint32_t r = 0; r < verify_kinds(k); r++)
        if (k->c[C_QUEUE_USER_LIMIT + r].u64[q] > (r ? (uint64_t)LSCHED_AMOUNT_MAX + 1 : 0) ||
            k->c[C_QUEUE_GROUP_LIMIT + r].u64[q] > (r ? (uint64_t)LSCHED_AMOUNT_MAX + 1 : 0))
            return check_fail(c, "%s: its limit for each user or group is out of range",
                              NAME(T_QUEUE, q));
    return LSCHED_OK;
}

/* ---- decayed use ---- */

#define SPENT_HI_MAX ((uint64_t)1 << 60)

static int is_remembered_well(const struct columns *k, uint32_t kind, int64_t at, uint64_t lo,
                              uint64_t hi) {
    if ((kind == 0 || kind >= verify_kinds(k)) && (lo || hi)) return 0;
    if (!usage_decay_is_on(k)) return at == 0 && lo == 0 && hi == 0;
    return at >= 0 && at <= (int64_t)meta(k, M_NOW) && hi < SPENT_HI_MAX;
}

static int32_t check_memory(struct check *c) {
    const struct columns *k = c->k;
    if (meta(k, M_HALF_LIFE) > (uint64_t)USAGE_DECAY_US_MAX ||
        meta(k, M_WINDOW) > (uint64_t)USAGE_DECAY_US_MAX)
        return check_fail(c,
                          "the half-life %lld or the window %lld of remembered use is out of range",
                          (long long)meta(k, M_HALF_LIFE), (long long)meta(k, M_WINDOW));
    for (uint32_t r = 0; r < KINDS_MAX; r++)
        if (!is_remembered_well(k, r, (int64_t)meta(k, M_SPENT_AT), meta(k, M_SPENT_LO + r),
                                meta(k, M_SPENT_HI + r)))
            return check_fail(c, "the remembered capacity of resource kind %u is wrong", r);
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
        for (uint32_t r = 0; row_is_live(k, T_QUEUE, q) && r < verify_kinds(k); r++)
            if (!is_remembered_well(k, r, k->c[C_QUEUE_SPENT_AT].i64[q],
                                    k->c[C_QUEUE_SPENT_LO + r].u64[q],
                                    k->c[C_QUEUE_SPENT_HI + r].u64[q]))
                return check_fail(c, "%s: its remembered use of %s is wrong", NAME(T_QUEUE, q),
                                  NAME(T_KIND, r));
    return LSCHED_OK;
}

/* ---- totals of the cluster ---- */

static int32_t check_capacity(struct check *c, uint32_t kind) {
    const struct columns *k = c->k;
    wide_i128 all = 0, ready = 0;
    for (uint32_t n = 0; kind > 0 && kind < verify_kinds(k) && n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n)) continue;
        all += k->c[C_NODE_CAP + kind].i64[n];
        if (k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY) ready += k->c[C_NODE_CAP + kind].i64[n];
    }
    if (all > LSCHED_AMOUNT_MAX)
        return check_fail(c, "the nodes together have more than 2^62 of %s", NAME(T_KIND, kind));
    if (meta(k, M_TOTAL_CAP + kind) != (uint64_t)all ||
        meta(k, M_TOTAL_READY + kind) != (uint64_t)ready)
        return check_fail(
            c,
            "all nodes have %lld of %s and the ready nodes have %lld, but %lld and %lld "
            "are recorded",
            verify_shown(all), NAME(T_KIND, kind), verify_shown(ready),
            (long long)meta(k, M_TOTAL_CAP + kind), (long long)meta(k, M_TOTAL_READY + kind));
    return LSCHED_OK;
}

/* Checks the sums of all queues before the checks that use them. */
static int32_t check_sums_of_all(struct check *c) {
    const struct columns *k = c->k;
    struct queue_sums s;
    int32_t rc = sums_open(c, &s);
    if (rc != LSCHED_OK || !s.used) return rc;
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++)
        if (row_is_live(k, T_TASK, t) && verify_placed(k, t)) add_task(k, &s, t);
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++)
        if (row_is_live(k, T_JOB, j)) add_job(k, &s, j);
    for (uint32_t q = 0; q < s.queues && rc == LSCHED_OK; q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        rc = check_use(c, q, &s);
        if (rc == LSCHED_OK) rc = check_sums(c, &s, q);
    }
    if (rc == LSCHED_OK) rc = verify_counter(c, M_PENDING_JOBS, s.all_pending, "pending jobs");
    if (rc == LSCHED_OK) rc = check_holds(c, &s);
    alloc_free(k->alloc, s.used, s.bytes);
    return rc;
}

/* Checks that a row of an allowance has the price of what its task is charged. */
static int32_t check_rate(struct check *c, uint32_t m) {
    const struct columns *k = c->k;
    uint32_t task = k->c[C_METER_TASK].u32[m], q = k->c[C_METER_QUEUE].u32[m];
    wide_i128 rate = 0, most = INT64_C(1) << 36;
    for (uint32_t r = 1; r < verify_kinds(k); r++) {
        int64_t unit = r == LSCHED_MEMORY                   ? 1 << 30
                       : r == LSCHED_CPU || r == LSCHED_GPU ? 1000
                                                            : 1,
                price = k->c[C_ALLOWANCE_PRICE + r].i64[k->c[C_QUEUE_ALLOWANCE].u32[q] - 1];
        rate += (verify_device_amount(k, task, r) * price + unit - 1) / unit;
    }
    if (k->c[C_METER_RATE].i64[m] == (int64_t)(rate < most ? rate : most)) return LSCHED_OK;
    return check_fail(c, "%s is charged another rate", NAME(T_TASK, task));
}

int32_t verify_queues(struct check *c) {
    int32_t rc = check_sums_of_all(c);
    for (uint32_t kind = 0; kind < KINDS_MAX && rc == LSCHED_OK; kind++)
        rc = check_capacity(c, kind);
    if (rc == LSCHED_OK) rc = verify_each(c, T_QUEUE, check_users);
    if (rc == LSCHED_OK) rc = verify_each(c, T_METER, check_rate);
    return rc == LSCHED_OK ? check_memory(c) : rc;
}
