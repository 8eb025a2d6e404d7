/* nonpreemptible_use.c -- see nonpreemptible_use.h. */
#include "model/queues/nonpreemptible_use.h"

#include "base/wide.h"
#include "model/shapes/job_states.h"

/* ---- non-preemptible minimum of a gang ---- */

struct counted_gang {
    uint32_t n, first; /* n: number of groups; first: GROUP row of the first group */
    uint32_t placed[LSCHED_GROUPS_PER_JOB_MAX], done[LSCHED_GROUPS_PER_JOB_MAX];
    /* number of placed and done tasks of the group and of all groups below it */
    uint32_t held[LSCHED_GROUPS_PER_JOB_MAX];
    /* for an inner group: number of its satisfied children */
    uint32_t good[LSCHED_GROUPS_PER_JOB_MAX];
    uint8_t satisfied[LSCHED_GROUPS_PER_JOB_MAX];
};

/* Reads the counts of a gang's leaf groups into *t, as if `more` more tasks of `group` were
 * placed, and adds them up for the groups above. Children have higher indexes than their
 * parents. */
static void gang_read(const struct columns *k, uint32_t job, uint32_t group, uint32_t more,
                      struct counted_gang *t) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    memset(t, 0, sizeof *t);
    t->n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    t->first = group_row(k, shape, 0);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        t->placed[k->c[C_LEAF_GROUP].u32[l]] = k->c[C_LEAF_PLACED].u32[l];
        t->done[k->c[C_LEAF_GROUP].u32[l]] = k->c[C_LEAF_DONE].u32[l];
    }
    t->placed[group] += more;
    for (uint32_t g = t->n; g-- > 0;) {
        int leaf = k->c[C_GROUP_CHILDREN].u32[t->first + g] == 0;
        if (leaf) t->held[g] = t->placed[g] + t->done[g];
        t->satisfied[g] = (leaf ? t->held[g] : t->good[g]) >= k->c[C_GROUP_MIN].u32[t->first + g];
        if (g == 0) return;
        uint32_t parent = k->c[C_GROUP_PARENT].u32[t->first + g];
        t->held[parent] += t->held[g];
        t->good[parent] += t->satisfied[g];
    }
}

/* Returns 1 if group a counts towards the minimum before group b. b must have the higher index. */
static int nonpreemptible_use_goes_first(const struct counted_gang *t, uint32_t a, uint32_t b) {
    if (t->satisfied[a] != t->satisfied[b]) return t->satisfied[a];
    return t->held[a] >= t->held[b];
}

static void choose_children(const struct columns *k, const struct counted_gang *t, uint32_t parent,
                            uint8_t *chosen) {
    for (uint32_t need = k->c[C_GROUP_MIN].u32[t->first + parent]; need > 0; need--) {
        uint32_t best = NO_ROW;
        for (uint32_t g = parent + 1; g < t->n; g++) {
            if (chosen[g] || k->c[C_GROUP_PARENT].u32[t->first + g] != parent) continue;
            if (best == NO_ROW || !nonpreemptible_use_goes_first(t, best, g)) best = g;
        }
        if (best == NO_ROW) return;
        chosen[best] = 1;
    }
}

void nonpreemptible_use_tasks(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                              uint32_t core[LSCHED_GROUPS_PER_JOB_MAX]) {
    struct counted_gang t;
    uint8_t chosen[LSCHED_GROUPS_PER_JOB_MAX] = {1}; /* the root */
    gang_read(k, job, group, n, &t);
    for (uint32_t g = 0; g < t.n && g < LSCHED_GROUPS_PER_JOB_MAX; g++) {
        core[g] = 0;
        if (!chosen[g]) continue;
        if (k->c[C_GROUP_CHILDREN].u32[t.first + g]) {
            choose_children(k, &t, g, chosen);
            continue;
        }
        uint32_t min = k->c[C_GROUP_MIN].u32[t.first + g];
        uint32_t needed = min > t.done[g] ? min - t.done[g] : 0;
        core[g] = t.placed[g] < needed ? t.placed[g] : needed;
    }
}

/* Adds to amounts[] the requests of n[g] tasks of each leaf group g, by the alternatives in
 * force. 64 bits are enough, because demand_ask() bounds the request of a job. */
static void nonpreemptible_use_add_tasks(const struct columns *k, uint32_t job, const uint32_t *n,
                                         int64_t amounts[KINDS_MAX]) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    uint32_t groups = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    for (uint32_t g = 0; g < groups && g < LSCHED_GROUPS_PER_JOB_MAX; g++) {
        uint32_t shape = n[g] ? leaf_shape(k, job, g) : NO_ROW;
        for (uint32_t r = 1; shape != NO_ROW && r < kinds; r++)
            amounts[r] += k->c[C_SHAPE_REQ + r].i64[shape] * (int64_t)n[g];
    }
}

/* Returns the gpu charge of a leaf group, including `more` additional tasks that are charged with
 * `gpu` milli-GPUs each. Sets *tasks to the number of charged tasks. */
static int64_t leaf_charge(const struct columns *k, uint32_t job, uint32_t group, uint32_t more,
                           int64_t gpu, uint32_t *tasks) {
    uint32_t leaf = job_leaf(k, job, group);
    *tasks = (leaf == NO_ROW ? 0 : k->c[C_LEAF_PLACED].u32[leaf]) + more;
    return (leaf == NO_ROW ? 0 : k->c[C_LEAF_CHARGE].i64[leaf]) + gpu * (int64_t)more;
}

void nonpreemptible_use_amounts(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                                int64_t gpu, int64_t amounts[KINDS_MAX]) {
    uint32_t core[LSCHED_GROUPS_PER_JOB_MAX] = {0}, jobshape = k->c[C_JOB_SHAPE].u32[job];
    memset(amounts, 0, KINDS_MAX * sizeof *amounts);
    nonpreemptible_use_tasks(k, job, group, n, core);
    nonpreemptible_use_add_tasks(k, job, core, amounts);
    amounts[LSCHED_GPU] = 0;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t tasks;
        if (core[g] == 0) continue;
        int64_t all = leaf_charge(k, job, g, g == group ? n : 0, gpu, &tasks);
        amounts[LSCHED_GPU] +=
            (int64_t)wide_mul_div((uint64_t)all, core[g], tasks, LSCHED_AMOUNT_MAX);
    }
}

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

static void demand_add_all(struct columns *k, uint32_t job, const int64_t amounts[KINDS_MAX],
                           int sign) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS), queue = k->c[C_JOB_QUEUE].u32[job];
    for (uint32_t r = 1; r < kinds; r++)
        if (amounts[r]) demand_add(k, queue, r, amounts[r] * sign);
}

static void core_add(struct columns *k, uint32_t job, const int64_t amounts[KINDS_MAX]) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    for (uint32_t r = 1; r < kinds; r++) {
        if (amounts[r] == 0) continue;
        for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            add_i64(k, C_QUEUE_CORE + r, q, amounts[r]);
    }
}

static int nonpreemptible_use_job_holds(const struct columns *k, uint32_t job, uint32_t leaf) {
    if (k->c[C_LEAF_PLACED].u32[leaf]) return 1;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        if (k->c[C_LEAF_PLACED].u32[l]) return 1;
    return 0;
}

static int is_admitted(const struct columns *k, uint32_t job) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    return phase != JOB_NEW && phase != JOB_REFUSED;
}

/* Adds the request of all tasks of the job that are not done to the demand (sign 1), or subtracts
 * it (sign -1). */
static void demand_of_job(struct columns *k, uint32_t job, int sign) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], n[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    int64_t amounts[KINDS_MAX] = {0};
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++)
        n[g] = k->c[C_GROUP_MAX].u32[group_row(k, shape, g)];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        n[k->c[C_LEAF_GROUP].u32[l]] -= k->c[C_LEAF_DONE].u32[l];
    nonpreemptible_use_add_tasks(k, job, n, amounts);
    demand_add_all(k, job, amounts, sign);
}

void nonpreemptible_use_begin(const struct columns *k, uint32_t job, uint32_t leaf,
                              struct nonpreemptible_use_note *note) {
    note->leaf = leaf;
    note->done = k->c[C_LEAF_DONE].u32[leaf];
    note->holds = (uint8_t)nonpreemptible_use_job_holds(k, job, leaf);
    note->counts = note->holds || is_admitted(k, job);
    note->firm = job_is_firm(k, job) != 0;
    if (note->firm) nonpreemptible_use_amounts(k, job, 0, 0, 0, note->core);
}

void nonpreemptible_use_end(struct columns *k, uint32_t job,
                            const struct nonpreemptible_use_note *note) {
    int holds = nonpreemptible_use_job_holds(k, job, note->leaf),
        counts = holds || is_admitted(k, job);
    uint32_t done = k->c[C_LEAF_DONE].u32[note->leaf];
    if (note->counts && done != note->done) {
        uint32_t group = k->c[C_LEAF_GROUP].u32[note->leaf];
        uint32_t shape = leaf_shape(k, job, group);
        int64_t amounts[KINDS_MAX] = {0};
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            amounts[r] = k->c[C_SHAPE_REQ + r].i64[shape] * ((int64_t)note->done - done);
        demand_add_all(k, job, amounts, 1);
    }
    if (counts != note->counts) demand_of_job(k, job, counts ? 1 : -1);
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; holds != note->holds && q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q])
        add_u32(k, C_QUEUE_JOBS_HELD, q, holds ? 1 : -1);
    if (note->firm) {
        int64_t core[KINDS_MAX];
        nonpreemptible_use_amounts(k, job, 0, 0, 0, core);
        for (uint32_t r = 1; r < KINDS_MAX; r++) core[r] -= note->core[r];
        core_add(k, job, core);
    }
    leaf_review(k, note->leaf);
}

/* ---- alternatives ---- */

void leaf_choose(struct columns *k, uint32_t leaf, uint8_t alternative) {
    uint32_t job = k->c[C_LEAF_JOB].u32[leaf], group = k->c[C_LEAF_GROUP].u32[leaf];
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], group);
    uint32_t old = leaf_shape(k, job, group), shape = group_alternative(k, row, alternative);
    int64_t tasks = (int64_t)k->c[C_GROUP_MAX].u32[row] - (int64_t)k->c[C_LEAF_DONE].u32[leaf];
    int64_t amounts[KINDS_MAX] = {0};
    set_u8(k, C_LEAF_ALTERNATIVE, leaf, alternative);
    if (!is_admitted(k, job) && !nonpreemptible_use_job_holds(k, job, leaf)) return;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        amounts[r] = (k->c[C_SHAPE_REQ + r].i64[shape] - k->c[C_SHAPE_REQ + r].i64[old]) * tasks;
    demand_add_all(k, job, amounts, 1);
}

void leaf_review(struct columns *k, uint32_t leaf) {
    if (k->c[C_LEAF_ALTERNATIVE].u8[leaf] && k->c[C_LEAF_PLACED].u32[leaf] == 0 &&
        k->c[C_LEAF_LEAVING].u32[leaf] == 0)
        leaf_choose(k, leaf, 0);
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
        if (sum[r] > (wide_u128)LSCHED_AMOUNT_MAX) return LSCHED_E_RANGE;
    return LSCHED_OK;
}

/* Adds the demand of equal jobs of which no task has a row yet. */
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

int32_t demand_admit(struct columns *k, uint32_t job, struct demand_batch *batch) {
    uint32_t leaf = k->c[C_JOB_LEAVES].u32[job], queue = k->c[C_JOB_QUEUE].u32[job],
             jobshape = k->c[C_JOB_SHAPE].u32[job], i = 0;
    if (is_admitted(k, job) || (leaf != NO_ROW && nonpreemptible_use_job_holds(k, job, leaf)))
        return LSCHED_OK;
    if (!batch || leaf != NO_ROW) {
        demand_of_job(k, job, 1);
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
    batch->entry[i].jobs++;
    return LSCHED_OK;
}

void demand_of_counts(struct columns *k, uint32_t job, int sign) {
    uint32_t leaf = k->c[C_JOB_LEAVES].u32[job];
    if (is_admitted(k, job) || nonpreemptible_use_job_holds(k, job, leaf))
        demand_of_job(k, job, sign);
}

void demand_end(struct columns *k, uint32_t job) {
    if (is_admitted(k, job)) demand_of_job(k, job, -1);
}
