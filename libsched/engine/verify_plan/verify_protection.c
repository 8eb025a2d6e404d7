/*
 * verify_protection.c -- see verify_protection.h. The use and the guarantees of queues are those of
 * the replay. A queue whose use is unknown protects no task.
 */
#include "engine/verify_plan/verify_protection.h"

#include "engine/verify/verify_device.h"
#include "engine/verify/verify_read.h"
#include "engine/verify/verify_resource_part.h"

/* ---- whole resource kinds ---- */

/* Returns a bit mask of the resource kinds that tasks of the job ask for. */
static uint32_t kinds_of(const struct columns *k, uint32_t job) {
    uint32_t bits = 0, n = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    for (uint32_t g = 0; g < n; g++) {
        uint32_t shape = k->c[C_GROUP_SHAPE].u32[verify_group_row(k, job, g)];
        for (uint32_t r = 1; shape != NO_ROW && r < verify_kinds(k); r++)
            bits |= (uint32_t)(k->c[C_SHAPE_REQ + r].i64[shape] > 0) << r;
    }
    return bits;
}

static int is_above_right(const struct replay *y, uint32_t queue, uint32_t kinds) {
    size_t queues = table_rows(y->c->k, T_QUEUE);
    if (y->unknown[queue]) return 1;
    for (uint32_t r = 1; r < verify_kinds(y->c->k); r++)
        if ((kinds >> r & 1) && y->used[queues * r + queue] > y->right[queues * r + queue])
            return 1;
    return 0;
}

/* Returns the lowest queue whose guarantee can protect work in `queue` from the job. With
 * protection by divergence, this is the queue directly below the common ancestor on the path of
 * `queue`. Else this is `queue` itself. *common is set to the common ancestor of `queue` and the
 * job's queue. If `queue` itself is the common ancestor, the function returns that queue. */
static uint32_t first_guard(const struct replay *y, uint32_t queue, uint32_t job,
                            uint32_t *common) {
    const struct columns *k = y->c->k;
    *common = verify_common_ancestor(k, queue, k->c[C_JOB_QUEUE].u32[job]);
    return y->plan->under->protection == VERIFY_PROTECT_DIVERGENCE
               ? verify_top_below(k, queue, *common)
               : queue;
}

/* Looks at the queues from the victim's queue up to below the common ancestor. Returns the lowest
 * queue that uses no more than its guarantee of every resource kind that the job asks for. Returns
 * NO_ROW if each queue uses more of some kind. At the time of the call, the tasks of the eviction
 * unit are charged again, so that the use includes them. */
static uint32_t protected_queue(const struct replay *y, uint32_t victim, uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t kinds = kinds_of(k, job), common,
             q = first_guard(y, k->c[C_JOB_QUEUE].u32[victim], job, &common);
    while (q != common && is_above_right(y, q, kinds)) q = k->c[C_QUEUE_PARENT].u32[q];
    return q == common ? NO_ROW : q;
}

/* ---- resource parts ---- */

static int64_t part_quota(const struct columns *k, uint32_t queue, uint32_t d) {
    for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[queue]; a != NO_ROW;
         a = k->c[C_QAMOUNT_NEXT].u32[a])
        if (k->c[C_QAMOUNT_DERIVED].u32[a] == d) return k->c[C_QAMOUNT_QUOTA].i64[a];
    return 0;
}

/* Looks at the queues from the victim's queue up to below the common ancestor. Returns the lowest
 * queue that uses no more of the resource part than its quota, NO_ROW if each queue uses more. If
 * `guaranteed` is 1, queues without a quota of the part are skipped. */
static uint32_t within_part(const struct replay *y, uint32_t victim, uint32_t job, uint32_t d,
                            int guaranteed) {
    const struct columns *k = y->c->k;
    uint32_t common, q = first_guard(y, k->c[C_JOB_QUEUE].u32[victim], job, &common);
    for (; q != common; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t quota = part_quota(k, q, d);
        if ((guaranteed && !quota) || y->unknown[q]) continue;
        if (y->parts[(size_t)d * table_rows(k, T_QUEUE) + q] <= quota) return q;
    }
    return NO_ROW;
}

/* Returns the smaller of the two numbers, but ignores a number that is 0. */
static int64_t least_of(int64_t a, int64_t b) {
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Amounts of one resource part that the job gets by a decision group. */
struct part_got {
    uint32_t job;
    int64_t least; /* amount of the smallest of the job's new tasks that takes some of the part */
    wide_i128 all; /* amount of all its new tasks that were not nominated before */
};

static struct part_got got_of(const struct replay *y, size_t first, size_t end, uint32_t job,
                              uint32_t d) {
    struct part_got got = {.job = job};
    for (size_t i = first; i < end; i++) {
        if (evicts(y, i) || job_at(y, i) != job) continue;
        int64_t held = verify_resource_part_held(y->c->k, task_at(y, i), d);
        got.least = least_of(got.least, held);
        if (!y->c->k->c[C_DECISION_SEATED].u8[y->plan->row[i]]) got.all += held;
    }
    return got;
}

/* True if each queue on the path from the job's queue up to the common ancestor, without the common
 * ancestor, is within its quota of the resource part. Of the tasks that the job gets in the group,
 * only the smallest one counts, because the others are allowed to use room that came free. */
static int is_within_parts(const struct replay *y, uint32_t victim, const struct part_got *got,
                           uint32_t d) {
    const struct columns *k = y->c->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[got->job],
             common = verify_common_ancestor(k, queue, k->c[C_JOB_QUEUE].u32[victim]);
    if (got->least == 0 || queue == common) return 0;
    for (uint32_t q = queue; q != common; q = k->c[C_QUEUE_PARENT].u32[q])
        if (!y->unknown[q] &&
            y->parts[(size_t)d * table_rows(k, T_QUEUE) + q] - got->all + got->least >
                part_quota(k, q, d))
            return 0;
    return 1;
}

static uint64_t *entitled_word(const struct replay *y, size_t i, uint32_t d) {
    return &y->entitled[i * y->words + d / 64];
}

void verify_protection_note(const struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    for (uint32_t d = 0; d < table_rows(k, T_DERIVED); d++) {
        struct part_got got = {.job = NO_ROW};
        for (size_t i = first; i < end; i++) {
            uint64_t id = for_at(y, i);
            uint32_t victim = job_at(y, i), job = (uint32_t)id;
            if (id == 0 || !evicts(y, i) || !row_is_live(k, T_JOB, job)) continue;
            if (got.job != job) got = got_of(y, first, end, job, d);
            *entitled_word(y, i, d) |= (uint64_t)is_within_parts(y, victim, &got, d) << d % 64;
        }
    }
}

static int is_entitled(const struct replay *y, size_t i, uint32_t d) {
    return (int)(*entitled_word(y, i, d) >> d % 64 & 1);
}

static int is_guarded(const struct columns *k, uint32_t d) {
    for (uint32_t a = 0; a < table_rows(k, T_QAMOUNT); a++)
        if (row_is_live(k, T_QAMOUNT, a) && k->c[C_QAMOUNT_DERIVED].u32[a] == d &&
            k->c[C_QAMOUNT_QUOTA].i64[a] > 0)
            return 1;
    return 0;
}

/* Returns the amount of the resource part that the eviction unit of decision i holds. If the
 * victim's job is stopped as a whole, *all is set to the amount that all its evicted tasks hold.
 * Else *all is set to the returned amount. */
static int64_t part_of_unit(const struct replay *y, size_t first, size_t end, size_t i, uint32_t d,
                            int64_t *all) {
    const struct columns *k = y->c->k;
    uint32_t victim = job_at(y, i);
    int64_t held = 0;
    *all = 0;
    for (size_t j = first; j < end; j++) {
        int own = y->unit_at[j] == y->unit_at[i];
        if (!own && !(y->job[victim].whole && evicts(y, j) && job_at(y, j) == victim)) continue;
        int64_t amount = verify_resource_part_held(k, task_at(y, j), d);
        *all += amount;
        held += own ? amount : 0;
    }
    return held;
}

/* Returns the kinds that the tasks of decision i's eviction unit hold; with `all`, those that all
 * tasks hold which the decisions stop of the victim's job. */
static uint32_t kinds_held(const struct replay *y, size_t first, size_t end, size_t i, int all) {
    uint32_t bits = 0;
    for (size_t j = first; j < end; j++) {
        if (all ? !evicts(y, j) || job_at(y, j) != job_at(y, i) : y->unit_at[j] != y->unit_at[i])
            continue;
        for (uint32_t r = 1; r < verify_kinds(y->c->k); r++)
            bits |= (uint32_t)(verify_device_amount(y->c->k, task_at(y, j), r) > 0) << r;
    }
    return bits;
}

/* Returns the lowest queue that uses no more than its guarantee of some kind that the unit of
 * decision i holds. Returns NO_ROW if there is none, or if what is stopped of the victim's job has
 * some kind that the job asks for: then the kinds of the job decide. A guarantee without a bound
 * can be none (verify_guarantees.h), so it protects nothing here. */
static uint32_t within_held(const struct replay *y, size_t first, size_t end, size_t i,
                            uint32_t job) {
    const struct columns *k = y->c->k;
    size_t queues = table_rows(k, T_QUEUE);
    uint32_t common, held = kinds_held(y, first, end, i, 0),
                     q = first_guard(y, k->c[C_JOB_QUEUE].u32[job_at(y, i)], job, &common);
    if (kinds_held(y, first, end, i, 1) & kinds_of(k, job)) return NO_ROW;
    for (; q != common; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; !y->unknown[q] && r < verify_kinds(k); r++)
            if ((held >> r & 1) && y->used[queues * r + q] <= y->right[queues * r + q] &&
                y->right[queues * r + q] != LSCHED_UNLIMITED)
                return q;
    return NO_ROW;
}

/* Returns the queue that forbids the eviction of decision i's unit, NO_ROW if the eviction is
 * allowed. If the unit holds some of a resource part for which any queue has a quota, these
 * parts decide. At least one of them must entitle the job to evict. For each of them, no queue
 * must lose an amount that its quota guarantees. If the unit holds no such part, the whole
 * resource kinds decide (protected_queue, within_held). If the victim's job is stopped as a whole,
 * its units are judged together: a part that one unit holds can entitle the job to evict all of
 * them, because tasks above the minimum cannot continue without the minimum. */
static uint32_t stands_against(const struct replay *y, size_t first, size_t end, size_t i,
                               uint32_t job) {
    const struct columns *k = y->c->k;
    uint32_t victim = job_at(y, i), parts = table_rows(k, T_DERIVED), decided = 0, entitled = 0;
    for (uint32_t d = 0; d < parts; d++) {
        int64_t all, held;
        if (!is_guarded(k, d)) continue;
        held = part_of_unit(y, first, end, i, d, &all);
        uint32_t within = held ? within_part(y, victim, job, d, 1) : NO_ROW;
        if (within != NO_ROW) return within;
        decided |= held != 0;
        entitled |= all != 0 && within_part(y, victim, job, d, 0) == NO_ROW && is_entitled(y, i, d);
    }
    if (entitled) return NO_ROW;
    if (decided) return k->c[C_JOB_QUEUE].u32[victim];
    uint32_t guard = protected_queue(y, victim, job);
    return guard != NO_ROW ? guard : within_held(y, first, end, i, job);
}

/* ---- the order of evictions ---- */

static void charge_unit(struct replay *y, size_t first, size_t end, uint32_t unit, int sign) {
    for (size_t i = first; i < end; i++)
        if (y->unit_at[i] == unit) verify_replay_charge(y, task_at(y, i), sign);
}

/* Charges the eviction unit of decision i again and returns 1, if this unit can have been the last
 * to be evicted. Else changes no charge and returns 0. */
static int give_back_unit(struct replay *y, size_t first, size_t end, size_t i) {
    const struct columns *k = y->c->k;
    uint32_t d = y->plan->row[i], victim = job_at(y, i), unit = y->unit_at[i];
    charge_unit(y, first, i + 1, unit, 1);
    if (y->plan->under->protection != VERIFY_PROTECT_NONE &&
        k->c[C_DECISION_REASON].u8[d] == LSCHED_FOR_RECLAIM &&
        stands_against(y, first, end, i, (uint32_t)k->c[C_DECISION_FOR_JOB].u64[d]) != NO_ROW) {
        charge_unit(y, first, i + 1, unit, -1);
        /* earlier evicted units of this job cannot be charged again either, because units of one
         * job are evicted in the order of the plan */
        y->job[victim].number = UINT32_MAX;
        return 0;
    }
    for (size_t j = first; j <= i; j++)
        if (y->unit_at[j] == unit) y->unit_at[j] = 0;
    return 1;
}

/* Writes the error message. It names the decision that has no allowed order and the queue that
 * forbids it. */
static int32_t say_protected(struct replay *y, size_t first, size_t end) {
    const struct columns *k = y->c->k;
    struct check *c = y->c;
    uint32_t d = y->plan->row[y->at], victim = job_at(y, y->at),
             job = (uint32_t)k->c[C_DECISION_FOR_JOB].u64[d];
    charge_unit(y, first, end, y->unit_at[y->at], 1);
    uint32_t q = stands_against(y, first, end, y->at, job);
    return check_fail(c, "decision %zu of the plan: %s is stopped for %s, but %s %s", y->at,
                      NAME(T_DECISION, d), NAME(T_JOB, job),
                      NAME(T_QUEUE, q == NO_ROW ? k->c[C_JOB_QUEUE].u32[victim] : q),
                      "holds no more than its guarantee");
}

int32_t verify_protection_check(struct replay *y, size_t first, size_t end) {
    for (int found = 1; found;) {
        size_t left = 0;
        found = 0;
        for (size_t i = first; i < end; i++) y->job[job_at(y, i)].number = 0;
        for (size_t i = end; i-- > first;) {
            if (y->unit_at[i] == 0) continue;
            y->at = i;
            if (y->job[job_at(y, i)].number == UINT32_MAX || !give_back_unit(y, first, end, i))
                left++;
            else
                found = 1;
        }
        if (left == 0) return LSCHED_OK;
        for (size_t i = first; i < end && !found; i++)
            if (y->unit_at[i]) y->at = i;
    }
    return say_protected(y, first, end);
}
