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
        /* each task of a group whose size is being chosen will belong to its minimum */
        uint32_t min =
            k->c[group_is_open(k, t.first + g) ? C_GROUP_SPAN : C_GROUP_MIN].u32[t.first + g];
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

/* If tasks of the leaf group were resized, corrects amounts[]: instead of `core` requests, it gets
 * the portion core / placed of what all placed tasks of the group are charged, rounded down. `more`
 * additional tasks have the request of the group. extra: NULL, or what the tasks are charged in
 * addition. */
static void add_sizes(const struct columns *k, uint32_t job, uint32_t group, uint32_t more,
                      uint32_t core, const int64_t *extra, int64_t amounts[KINDS_MAX]) {
    uint32_t leaf = job_leaf(k, job, group),
             sized = leaf == NO_ROW ? 0 : k->c[C_LEAF_SIZED].u32[leaf];
    if (leaf == NO_ROW || (sized == 0 && !extra)) return;
    uint32_t shape = leaf_shape(k, job, group), tasks = k->c[C_LEAF_PLACED].u32[leaf] + more;
    for (uint32_t r = 1; tasks && r < (uint32_t)meta(k, M_N_KINDS); r++) {
        int64_t d = (sized ? k->c[C_SIZED_MORE + r].i64[sized - 1] : 0) + (extra ? extra[r] : 0),
                each = k->c[C_SHAPE_REQ + r].i64[shape], all = each * (int64_t)tasks + d;
        if (r == LSCHED_GPU || d == 0) continue;
        amounts[r] += (int64_t)wide_mul_div((uint64_t)all, core, tasks, LSCHED_AMOUNT_MAX) -
                      each * (int64_t)core;
    }
}

/* Computes nonpreemptible_use_amounts() with `extra` for the tasks of `group`; NULL: none. */
static void amounts_with(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                         int64_t gpu, const int64_t *extra, int64_t amounts[KINDS_MAX]) {
    uint32_t core[LSCHED_GROUPS_PER_JOB_MAX] = {0}, jobshape = k->c[C_JOB_SHAPE].u32[job];
    memset(amounts, 0, KINDS_MAX * sizeof *amounts);
    nonpreemptible_use_tasks(k, job, group, n, core);
    nonpreemptible_use_add_tasks(k, job, core, amounts);
    amounts[LSCHED_GPU] = 0;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t tasks;
        if (core[g] == 0) continue;
        add_sizes(k, job, g, g == group ? n : 0, core[g], g == group ? extra : NULL, amounts);
        int64_t all = leaf_charge(k, job, g, g == group ? n : 0, gpu, &tasks);
        amounts[LSCHED_GPU] +=
            (int64_t)wide_mul_div((uint64_t)all, core[g], tasks, LSCHED_AMOUNT_MAX);
    }
}

void nonpreemptible_use_amounts(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                                int64_t gpu, int64_t amounts[KINDS_MAX]) {
    amounts_with(k, job, group, n, gpu, NULL, amounts);
}

void nonpreemptible_use_amounts_with(const struct columns *k, uint32_t job, uint32_t group,
                                     const int64_t more[KINDS_MAX], int64_t amounts[KINDS_MAX]) {
    amounts_with(k, job, group, 0, 0, more, amounts);
}

/* ---- sums of queues ---- */

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

void nonpreemptible_use_begin(const struct columns *k, uint32_t job, uint32_t leaf,
                              struct nonpreemptible_use_note *note) {
    note->leaf = leaf;
    note->holds = (uint8_t)nonpreemptible_use_job_holds(k, job, leaf);
    demand_begin(k, job, leaf, &note->demand);
    note->firm = job_is_firm(k, job) != 0;
    if (note->firm) nonpreemptible_use_amounts(k, job, 0, 0, 0, note->core);
}

void nonpreemptible_use_end(struct columns *k, uint32_t job,
                            const struct nonpreemptible_use_note *note) {
    int holds = nonpreemptible_use_job_holds(k, job, note->leaf);
    demand_end(k, job, &note->demand);
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
    uint32_t old = leaf_shape(k, job, group);
    set_u8(k, C_LEAF_ALTERNATIVE, leaf, alternative);
    demand_of_shape(k, leaf, old, group_alternative(k, row, alternative));
}

void leaf_review(struct columns *k, uint32_t leaf) {
    if (k->c[C_LEAF_ALTERNATIVE].u8[leaf] && k->c[C_LEAF_PLACED].u32[leaf] == 0 &&
        k->c[C_LEAF_LEAVING].u32[leaf] == 0)
        leaf_choose(k, leaf, 0);
}
