/* demand.c -- see demand.h. */
#include "model/demand/demand.h"

#include "base/wide.h"
#include "model/arrays/array.h"
#include "model/demand/members.h"
#include "model/shapes/job_states.h"
#include "model/shapes/leaf.h"

/* ---- sums of queues ---- */

/* Adds d to the demand of one queue. The sum has 128 bits, because the number of jobs has no
 * bound. QUEUE.DEMAND is capped at 2^62, which is more than the capacity of any kind. */
static void demand_move(struct columns *k, uint32_t queue, uint32_t kind, wide_i128 d) {
    wide_u128 v = (wide_u128)k->c[C_QUEUE_DEMAND_HI + kind].u64[queue] << 64 |
                  k->c[C_QUEUE_DEMAND_LO + kind].u64[queue];
    v += (wide_u128)d;
    set_u64(k, C_QUEUE_DEMAND_LO + kind, queue, (uint64_t)v);
    if (k->c[C_QUEUE_DEMAND_HI + kind].u64[queue] != (uint64_t)(v >> 64))
        set_u64(k, C_QUEUE_DEMAND_HI + kind, queue, (uint64_t)(v >> 64));
    int beyond = v > (wide_u128)LSCHED_AMOUNT_MAX;
    set_i64(k, C_QUEUE_DEMAND + kind, queue, beyond ? LSCHED_AMOUNT_MAX : (int64_t)v);
}

void demand_add(struct columns *k, uint32_t queue, uint32_t kind, int64_t d) {
    for (uint32_t q = queue; d && q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        demand_move(k, q, kind, d);
}

/* Adds the request of to[g] - from[g] tasks of each leaf group g, by the alternatives in force.
 * 64 bits are enough, because demand_ask() bounds the request of a job. */
static void add_tasks(struct columns *k, uint32_t job, const uint32_t *from, const uint32_t *to) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS), queue = k->c[C_JOB_QUEUE].u32[job];
    uint32_t groups = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    int64_t amounts[KINDS_MAX] = {0};
    for (uint32_t g = 0; g < groups && g < LSCHED_GROUPS_PER_JOB_MAX; g++) {
        int64_t n = (int64_t)to[g] - (int64_t)from[g];
        uint32_t shape = n ? leaf_shape(k, job, g) : NO_ROW;
        for (uint32_t r = 1; shape != NO_ROW && r < kinds; r++)
            amounts[r] += k->c[C_SHAPE_REQ + r].i64[shape] * n;
    }
    for (uint32_t r = 1; r < kinds; r++) demand_add(k, queue, r, amounts[r]);
}

/* ---- the tasks that count ---- */

static int is_admitted(const struct columns *k, uint32_t job) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    return phase != JOB_NEW && phase != JOB_REFUSED;
}

/* True if the job is held, by a rule, by the orchestrator or by its gate. */
static int is_held(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w != NO_ROW && (k->c[C_WATCH_HELD].u8[w] || k->c[C_WATCH_HOST_UNTIL].i64[w] ||
                           k->c[C_WATCH_CLOSED].u8[w]);
}

static int is_partial(const struct columns *k, uint32_t job) {
    return jobshape_is_partial(k, k->c[C_JOB_SHAPE].u32[job]);
}

/* Sets n[g] to the number of tasks of each leaf group g that count. An array has no tasks, and
 * stands for those of its elements. */
static void demand_count(const struct columns *k, uint32_t job, int admitted, uint32_t *n) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], groups = k->c[C_JOBSHAPE_N_GROUPS].u32[shape],
             first = group_row(k, shape, 0), held[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    int partial = is_partial(k, job), starts = admitted && !is_held(k, job);
    for (uint32_t g = 0; g < groups && g < LSCHED_GROUPS_PER_JOB_MAX; g++) {
        n[g] = partial ? group_members(k, first + g) : k->c[C_GROUP_MAX].u32[first + g];
        if (k->c[C_GROUP_CHILDREN].u32[first + g]) n[g] = 0;
    }
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        held[k->c[C_LEAF_GROUP].u32[l]] = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
    if (!starts || !members_suffice(k, job)) memset(n, 0, LSCHED_GROUPS_PER_JOB_MAX * sizeof *n);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l];
        if (n[g] < held[g]) n[g] = held[g]; /* imported tasks can exceed what exists */
        n[g] -= k->c[C_LEAF_DONE].u32[l];
    }
    uint32_t weight = array_weight(k, job);
    for (uint32_t g = 0; weight != 1 && g < groups && g < LSCHED_GROUPS_PER_JOB_MAX; g++)
        n[g] *= weight;
}

void demand_begin(const struct columns *k, uint32_t job, uint32_t leaf, struct demand_note *note) {
    note->leaf = leaf;
    /* an import can give a group more tasks than the size that it chose at its start */
    note->plain = leaf != NO_ROW && is_admitted(k, job) && !is_partial(k, job) &&
                  !jobshape_is_fixed(k, k->c[C_JOB_SHAPE].u32[job]) && !is_held(k, job);
    if (note->plain)
        note->done = k->c[C_LEAF_DONE].u32[leaf];
    else
        demand_count(k, job, is_admitted(k, job), note->n);
}

void demand_end(struct columns *k, uint32_t job, const struct demand_note *note) {
    uint32_t n[LSCHED_GROUPS_PER_JOB_MAX];
    if (!note->plain) {
        demand_count(k, job, is_admitted(k, job), n);
        add_tasks(k, job, note->n, n);
        return;
    }
    int64_t more = (int64_t)note->done - k->c[C_LEAF_DONE].u32[note->leaf];
    if (more == 0) return;
    uint32_t shape = leaf_shape(k, job, k->c[C_LEAF_GROUP].u32[note->leaf]);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        demand_add(k, k->c[C_JOB_QUEUE].u32[job], r, k->c[C_SHAPE_REQ + r].i64[shape] * more);
}

void demand_see(const struct columns *k, uint32_t job, int64_t seen[KINDS_MAX]) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) seen[r] = k->c[C_QUEUE_DEMAND + r].i64[queue];
}

/* A demand for more than all ready nodes have bounds no share, so that a queue with many waiting
 * jobs loses one without a search for victims. */
int demand_fell(const struct columns *k, uint32_t job, const int64_t seen[KINDS_MAX]) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t now = k->c[C_QUEUE_DEMAND + r].i64[queue];
        if (now < seen[r] && now < (int64_t)meta(k, M_TOTAL_READY + r)) return 1;
    }
    return 0;
}

void demand_of_shape(struct columns *k, uint32_t leaf, uint32_t from, uint32_t to) {
    uint32_t job = k->c[C_LEAF_JOB].u32[leaf], n[LSCHED_GROUPS_PER_JOB_MAX];
    if (from == to) return;
    demand_count(k, job, is_admitted(k, job), n);
    int64_t tasks = n[k->c[C_LEAF_GROUP].u32[leaf]];
    for (uint32_t r = 1; tasks && r < meta(k, M_N_KINDS); r++)
        demand_add(k, k->c[C_JOB_QUEUE].u32[job], r,
                   (k->c[C_SHAPE_REQ + r].i64[to] - k->c[C_SHAPE_REQ + r].i64[from]) * tasks);
}

/* ---- jobs are submitted, admitted and removed ---- */

/* Returns the largest amount of the kind that one task of the group requests in any of its
 * alternatives. */
static int64_t most_asked(const struct columns *k, uint32_t row, uint32_t kind) {
    int64_t most = 0;
    for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
        int64_t req = k->c[C_SHAPE_REQ + kind].i64[group_alternative(k, row, a)];
        if (req > most) most = req;
    }
    return most;
}

static void asked_by(const struct columns *k, uint32_t jobshape, wide_u128 sum[KINDS_MAX]) {
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            sum[r] += wide_mul((uint64_t)most_asked(k, row, r), k->c[C_GROUP_MAX].u32[row]);
    }
}

int32_t demand_ask(const struct columns *k, uint32_t job) {
    wide_u128 sum[KINDS_MAX] = {0};
    asked_by(k, k->c[C_JOB_SHAPE].u32[job], sum);
    for (uint32_t r = 1; r < KINDS_MAX; r++)
        if (sum[r] * array_weight(k, job) > (wide_u128)LSCHED_AMOUNT_MAX) return LSCHED_E_RANGE;
    return LSCHED_OK;
}

/* Adds the demand of equal jobs of which no task has a row yet, and all tasks count. */
static void demand_of_new_jobs(struct columns *k, const struct demand_entry *e) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t amount = 0; /* of one job */
        for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[e->jobshape]; g++) {
            uint32_t row = group_row(k, e->jobshape, g), shape = group_alternative(k, row, 0);
            if (shape != NO_ROW)
                amount += k->c[C_SHAPE_REQ + r].i64[shape] * (int64_t)k->c[C_GROUP_MAX].u32[row];
        }
        for (uint32_t q = e->queue; amount && q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            demand_move(k, q, r, (wide_i128)amount * e->jobs);
    }
}

int32_t demand_settle(struct columns *k, struct demand_batch *batch) {
    for (uint32_t i = 0; i < batch->n; i++) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        demand_of_new_jobs(k, &batch->entry[i]);
    }
    batch->n = 0;
    return LSCHED_OK;
}

/* Adds what the waiting tasks of a job ask for that is about to be admitted. */
static void admit_alone(struct columns *k, uint32_t job) {
    uint32_t before[LSCHED_GROUPS_PER_JOB_MAX], after[LSCHED_GROUPS_PER_JOB_MAX];
    demand_count(k, job, 0, before);
    demand_count(k, job, 1, after);
    add_tasks(k, job, before, after);
}

int32_t demand_admit(struct columns *k, uint32_t job, struct demand_batch *batch) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], jobshape = k->c[C_JOB_SHAPE].u32[job], i = 0;
    if (is_admitted(k, job)) return LSCHED_OK;
    if (!batch || k->c[C_JOB_LEAVES].u32[job] != NO_ROW || is_partial(k, job) || is_held(k, job)) {
        admit_alone(k, job);
        return LSCHED_OK;
    }
    while (i < batch->n && (batch->entry[i].queue != queue || batch->entry[i].jobshape != jobshape))
        i++;
    if (i == DEMAND_BATCH) {
        int32_t rc = demand_settle(k, batch);
        if (rc != LSCHED_OK) return rc;
        i = 0;
    }
    if (i == batch->n) batch->entry[batch->n++] = (struct demand_entry){queue, jobshape, 0};
    batch->entry[i].jobs += array_weight(k, job);
    return LSCHED_OK;
}

void demand_drop(struct columns *k, uint32_t job) {
    static const uint32_t none[LSCHED_GROUPS_PER_JOB_MAX];
    uint32_t n[LSCHED_GROUPS_PER_JOB_MAX];
    demand_count(k, job, is_admitted(k, job), n);
    add_tasks(k, job, n, none);
}
