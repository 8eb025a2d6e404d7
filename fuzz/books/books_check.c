/* books_check.c -- see books.h: what is counted anew after every call. */
#include "books/books.h"

#include <stdlib.h>
#include <string.h>

/* ---- all tasks, as the library tells them ---- */

enum { ROWS = BOOK_JOBS * BOOK_TASKS * 2 };

struct rows {
    lsched_task_info at[ROWS];
    uint32_t n;
};

struct book_before {
    struct rows rows;
    int overfull[BOOK_NODES];
};

static int holds(const lsched_task_info *t) {
    return t->state == LSCHED_TASK_PROPOSED || t->state == LSCHED_TASK_CONFIRMED ||
           t->state == LSCHED_TASK_RUNNING;
}

static int occupies(const lsched_task_info *t) {
    return holds(t) || t->state == LSCHED_TASK_RELEASING;
}

static void read_rows(struct books *b, struct rows *r) {
    r->n = 0;
    for (uint32_t i = 0; i < BOOK_JOBS; i++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        if (!b->job[i].id) continue;
        while (lsched_tasks_next(b->c, b->job[i].id, 0, &cursor, &t, NULL) == 1) {
            if (r->n == ROWS) book_finding(b, "more tasks than the jobs have");
            r->at[r->n++] = t;
        }
    }
}

static const struct book_leaf *leaf_of(const struct book_job *j, uint32_t index) {
    const struct book_leaf *l = &j->leaf[0];
    if (j->n_leaves > 1 && index >= j->leaf[1].first) l = &j->leaf[1];
    return l;
}

/* ---- nodes ---- */

struct load {
    int64_t cpu, memory;
    uint32_t milli[BOOK_DEVICES]; /* whole and in part */
    uint32_t slices[BOOK_DEVICES];
    uint32_t twice, excess; /* bits of devices: given out twice; an import overfilled it */
};

static uint32_t slices_of(struct books *b, const char *profile) {
    lsched_mig_profile p = {.size = sizeof p};
    lsched_text table;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_mig_table_find(LSCHED_TEXT("H100-80GB"), INT64_C(80) << 30, &table, &err);
    for (uint32_t i = 0; lsched_mig_profiles_at(table, i, &p, &err) == LSCHED_OK; i++)
        if (p.name.len == strlen(profile) && memcmp(p.name.ptr, profile, p.name.len) == 0)
            return p.slices;
    book_finding(b, "there is no profile %s", profile);
}

static void load_device(struct books *b, struct load *x, const struct book_leaf *l,
                        const lsched_task_info *t, uint32_t device) {
    if (l->mig[0]) {
        uint32_t slices = slices_of(b, l->mig), start = t->device_starts >> (4 * device) & 15,
                 mask = ((1u << slices) - 1) << start;
        if (start + slices > 8 || x->slices[device] & mask) x->twice |= 1u << device;
        x->slices[device] |= mask;
        return;
    }
    uint32_t share = l->devices ? 1000 : l->share_milli;
    if (t->device_milli != share)
        book_finding(b, "a task of %u milli-GPU a device has %u", share, t->device_milli);
    if (x->slices[device]) x->twice |= 1u << device;
    x->milli[device] += share;
    if (x->milli[device] > 1000) x->twice |= 1u << device;
}

static void load_task(struct books *b, struct load *x, const struct book_node *n,
                      const struct book_job *j, const lsched_task_info *t) {
    const struct book_leaf *l = leaf_of(j, t->task_index);
    uint32_t mask = t->device_mask, count = 0;
    if (t->imported_excess) x->excess |= mask;
    x->cpu += l->cpu_milli;
    x->memory += l->memory_bytes;
    for (uint32_t d = 0; d < 32; d++) {
        if (!(mask >> d & 1)) continue;
        count++;
        if (d >= n->devices) book_finding(b, "%s has no device %u", n->name, d);
        load_device(b, x, l, t, d);
    }
    uint32_t want = l->devices ? l->devices : l->share_milli || l->mig[0] ? 1 : 0;
    if (count != want)
        book_finding(b, "%s/%u has %u devices, wants %u", j->name, t->task_index, count, want);
}

static void load_of(struct books *b, const struct rows *r, const struct book_node *n,
                    struct load *x) {
    memset(x, 0, sizeof *x);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct book_job *j = book_job_of(b, r->at[i].job);
        if (r->at[i].node == n->id && occupies(&r->at[i])) load_task(b, x, n, j, &r->at[i]);
    }
}

static int overfull(const struct book_node *n, const struct load *x) {
    return x->cpu > n->cpu_milli || x->memory > n->memory_bytes;
}

static void check_nodes(struct books *b, const struct rows *r) {
    for (uint32_t i = 0; i < BOOK_NODES; i++) {
        struct book_node *n = &b->node[i];
        struct load x;
        if (!n->id) continue;
        load_of(b, r, n, &x);
        if (x.twice & ~x.excess)
            book_finding(b, "devices %x of %s are given out twice", x.twice, n->name);
        if (overfull(n, &x) && !n->excess)
            book_finding(b, "%s holds %lld of %lld cores, %lld of %lld bytes", n->name,
                         (long long)x.cpu, (long long)n->cpu_milli, (long long)x.memory,
                         (long long)n->memory_bytes);
        if (!overfull(n, &x) && n->excess) n->excess = 0;
    }
}

/* ---- what the host was told ---- */

static void check_told(struct books *b, const struct rows *r) {
    uint8_t runs[BOOK_JOBS][BOOK_TASKS] = {{0}}, leaves[BOOK_JOBS][BOOK_TASKS] = {{0}};
    for (uint32_t i = 0; i < r->n; i++) {
        const struct book_job *j = book_job_of(b, r->at[i].job);
        if (r->at[i].task_index >= BOOK_TASKS) book_finding(b, "a task that %s has not", j->name);
        runs[j - b->job][r->at[i].task_index] |= r->at[i].state == LSCHED_TASK_RUNNING;
        leaves[j - b->job][r->at[i].task_index] |= r->at[i].state == LSCHED_TASK_RELEASING;
    }
    for (uint32_t i = 0; i < BOOK_JOBS; i++)
        for (uint32_t t = 0; b->job[i].id && t < BOOK_TASKS; t++) {
            const struct book_task *own = &b->job[i].task[t];
            if (runs[i][t] != (own->running && !own->told_to_leave) ||
                leaves[i][t] != (own->running && own->told_to_leave))
                book_finding(b, "%s/%u: library runs %u leaves %u, host runs %d told %d",
                             b->job[i].name, t, runs[i][t], leaves[i][t], own->running,
                             own->told_to_leave);
        }
}

void books_check_books(struct books *b) {
    static struct rows r;
    read_rows(b, &r);
    check_nodes(b, &r);
    check_told(b, &r);
}

void books_check_state(struct books *b) {
    lsched_error err = LSCHED_ERROR_INIT;
    books_check_books(b);
    if (lsched_verify(b->c, NULL, &err) < 0) book_finding(b, "verify: %s", err.message);
}

/* ---- plans ---- */

struct book_before *books_before_plan(struct books *b) {
    static struct book_before x;
    read_rows(b, &x.rows);
    for (uint32_t i = 0; i < BOOK_NODES; i++) {
        struct load l;
        if (!b->node[i].id) continue;
        load_of(b, &x.rows, &b->node[i], &l);
        x.overfull[i] = overfull(&b->node[i], &l);
    }
    return &x;
}

/* True if the queue is the other one or around it. */
static int is_around(const struct books *b, uint32_t queue, uint32_t inner) {
    for (; inner < BOOK_QUEUES; inner = b->queue[inner].parent)
        if (inner == queue) return 1;
    return 0;
}

static int64_t gpu_of(const struct book_leaf *l) {
    static const struct {
        const char *name;
        int64_t milli;
    } mig[] = {{"1g.10gb", 125}, {"2g.20gb", 250}, {"3g.40gb", 500}, {"7g.80gb", 1000}};
    for (uint32_t i = 0; l->mig[0] && i < 4; i++)
        if (strcmp(mig[i].name, l->mig) == 0) return mig[i].milli;
    return l->devices ? 1000 * (int64_t)l->devices : (int64_t)l->share_milli;
}

/* What tasks that hold something use, in the queue and below. Nominated and releasing tasks do not
 * count. */
static int64_t used(const struct books *b, const struct rows *r, uint32_t queue, uint32_t kind) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct book_job *j = book_job_of((struct books *)b, r->at[i].job);
        const struct book_leaf *l = leaf_of(j, r->at[i].task_index);
        if (!holds(&r->at[i]) || !is_around(b, queue, j->queue)) continue;
        sum += kind == LSCHED_CPU      ? l->cpu_milli
               : kind == LSCHED_MEMORY ? l->memory_bytes
                                       : gpu_of(l);
    }
    return sum;
}

/* True if a row of the task is in this state; ANY_HOLD: in any state that holds something. */
enum { ANY_HOLD = UINT8_MAX };
static int has_row(const struct rows *r, lsched_id job, uint32_t task_index, uint32_t state) {
    for (uint32_t i = 0; i < r->n; i++)
        if (r->at[i].job == job && r->at[i].task_index == task_index &&
            (state == ANY_HOLD ? holds(&r->at[i]) : r->at[i].state == state))
            return 1;
    return 0;
}

/* True if the task was nominated before: it was charged then, and a limit may have fallen since. */
static int was_claim(const struct book_before *before, const lsched_decision *d) {
    return has_row(&before->rows, d->job, d->task_index, LSCHED_TASK_NOMINATED);
}

/* What a plan places lies beside what others hold, also beside what imports put on top of it. */
static void check_beside(struct books *b, const struct rows *r, const struct book_node *n,
                         const lsched_decision *d) {
    const lsched_task_info *own = NULL;
    struct load x = {0};
    for (uint32_t i = 0; i < r->n; i++) {
        const lsched_task_info *t = &r->at[i];
        if (t->node != n->id || !occupies(t)) continue;
        if (t->job == d->job && t->task_index == d->task_index && holds(t))
            own = t;
        else
            load_task(b, &x, n, book_job_of(b, t->job), t);
    }
    if (!own) book_finding(b, "a place of a task that is not there");
    x.twice = 0;
    load_task(b, &x, n, book_job_of(b, d->job), own);
    if (x.twice)
        book_finding(b, "%s/%u is placed on devices %x of %s, which others hold",
                     book_job_of(b, d->job)->name, d->task_index, x.twice, n->name);
}

static void check_place(struct books *b, const struct book_before *before, const struct rows *r,
                        const lsched_decision *d) {
    const struct book_job *j = book_job_of(b, d->job);
    const struct book_node *n = book_node_of(b, d->node);
    if (!j || !n) book_finding(b, "a place of a job, or on a node, that does not exist");
    if (n->state != LSCHED_NODE_READY) book_finding(b, "a place on %s, not ready", n->name);
    if (before->overfull[n - b->node]) book_finding(b, "a place on %s, overfull", n->name);
    check_beside(b, r, n, d);
    const struct book_leaf *l = leaf_of(j, d->task_index);
    for (uint32_t q = 0; q < BOOK_QUEUES && !was_claim(before, d); q++) {
        if (!b->queue[q].id || !is_around(b, q, j->queue)) continue;
        for (uint32_t k = LSCHED_CPU; k <= LSCHED_GPU; k++) {
            int64_t need = k == LSCHED_CPU      ? l->cpu_milli
                           : k == LSCHED_MEMORY ? l->memory_bytes
                                                : gpu_of(l);
            if (need > 0 && used(b, r, q, k) > b->queue[q].limit[k])
                book_finding(b, "%s uses %lld of kind %u, above its limit of %lld",
                             b->queue[q].name, (long long)used(b, r, q, k), k,
                             (long long)b->queue[q].limit[k]);
        }
    }
}

/* Members that hold something or have ended, claims not counted, stand at the minimum. */
static void check_gang(struct books *b, const struct rows *r, const struct book_job *j) {
    lsched_job_info info = {.size = sizeof info};
    uint32_t held[BOOK_LEAVES] = {0}, all = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->at[i].job != j->id || !(holds(&r->at[i]) || r->at[i].state == LSCHED_TASK_DONE))
            continue;
        held[leaf_of(j, r->at[i].task_index) - j->leaf]++;
        all += r->at[i].state != LSCHED_TASK_DONE;
    }
    if (lsched_job_get(b->c, j->id, &info, NULL) < 0) book_finding(b, "%s is gone", j->name);
    for (uint32_t l = 0; l < j->n_leaves; l++) {
        uint32_t done = j->n_leaves == 1 && info.tasks_done > held[l] - all ? info.tasks_done : 0;
        if (j->n_leaves > 1 && info.tasks_done) continue; /* whose ended is not told */
        if ((done ? all + done : held[l]) < j->leaf[l].min)
            book_finding(b, "%s starts with %u of %u members of leaf %u", j->name, held[l],
                         j->leaf[l].min, l);
    }
}

/* ---- guarantees ---- */

/* What the queue's own quota says: a limit below the quota counts instead. */
static int64_t quota_in_force(const struct book_queue *q, uint32_t kind) {
    return q->quota[kind] < q->limit[kind] ? q->quota[kind] : q->limit[kind];
}

/* A kind that no queue has a quota of is guaranteed to nobody and protects nobody, if there are
 * quotas of another kind. */
static int is_guaranteed(const struct books *b, uint32_t kind) {
    int any = 0;
    for (uint32_t q = 0; q < BOOK_QUEUES; q++)
        for (uint32_t k = LSCHED_CPU; b->queue[q].id && k <= LSCHED_GPU; k++) {
            if (b->queue[q].quota[k] && k == kind) return 1;
            any |= b->queue[q].quota[k] != 0;
        }
    return !any;
}

/* The least that the queue may be said to have a guarantee of: quotas of siblings that are more
 * than their parent is guaranteed shrink in proportion, devices whole, and a remainder may go to
 * any of them. */
static int64_t guarantee_of(const struct books *b, uint32_t queue, uint32_t kind) {
    uint32_t path[BOOK_QUEUES], n = 0;
    int64_t have = 0;
    for (uint32_t q = queue; q < BOOK_QUEUES; q = b->queue[q].parent) path[n++] = q;
    for (uint32_t i = n; i-- > 0;) {
        const struct book_queue *q = &b->queue[path[i]];
        int64_t own = quota_in_force(q, kind), sum = 0;
        for (uint32_t x = 0; x < BOOK_QUEUES; x++)
            if (b->queue[x].id && b->queue[x].parent == q->parent)
                sum += quota_in_force(&b->queue[x], kind);
        if (q->parent < BOOK_QUEUES && sum > have) own = own * have / sum;
        have = kind == LSCHED_GPU ? own - own % 1000 : own;
    }
    return have;
}

static int needs(const struct book_job *j, uint32_t kind) {
    int64_t sum = 0;
    for (uint32_t l = 0; l < j->n_leaves; l++)
        sum += kind == LSCHED_CPU      ? j->leaf[l].cpu_milli
               : kind == LSCHED_MEMORY ? j->leaf[l].memory_bytes
                                       : gpu_of(&j->leaf[l]);
    return sum > 0;
}

/* Each queue of the victim's side, below the first that is the winner's, too, has more than its
 * guarantee of something that the winner needs. `most` has all that the queue may have held when
 * the victim was chosen. */
static void check_protection(struct books *b, const struct rows *most,
                             const struct book_job *victim, const struct book_job *winner) {
    for (uint32_t q = victim->queue; q < BOOK_QUEUES; q = b->queue[q].parent) {
        int above = 0;
        if (is_around(b, q, winner->queue)) return;
        for (uint32_t k = LSCHED_CPU; k <= LSCHED_GPU; k++)
            above |= needs(winner, k) && is_guaranteed(b, k) &&
                     used(b, most, q, k) > guarantee_of(b, q, k);
        if (!above)
            book_finding(b, "%s is stopped for %s, and %s has no more than its guarantee",
                         victim->name, winner->name, b->queue[q].name);
    }
}

/* Members that the leaf of the decision had when its transaction ended, beyond what it has when the
 * plan ends: later transactions stopped some, or gave places to others. */
static int64_t members_lost_later(struct books *b, const lsched_plan *plan,
                                  const lsched_decision *d) {
    const struct book_job *j = book_job_of(b, d->job);
    const struct book_leaf *l = leaf_of(j, d->task_index);
    int64_t lost = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *e = lsched_plan_at(plan, i);
        if (e->group <= d->group || e->job != d->job || leaf_of(j, e->task_index) != l) continue;
        lost += (e->kind == LSCHED_DECIDE_EVICT && !e->checkpoint) ||
                e->kind == LSCHED_DECIDE_CHECKPOINT;
        lost -= e->kind == LSCHED_DECIDE_PLACE || e->kind == LSCHED_DECIDE_NOMINATE;
    }
    return lost;
}

/* True if the transaction leaves the victim's leaf at its minimum: what goes of it is surplus,
 * which neither minimum run times nor priorities nor being non-preemptible protect. Ended members of
 * jobs are not told by leaf, so a job that has some counts as if all of it were surplus. */
static int is_surplus(struct books *b, const struct rows *after, const lsched_plan *plan,
                      const lsched_decision *d) {
    const struct book_job *j = book_job_of(b, d->job);
    const struct book_leaf *l = leaf_of(j, d->task_index);
    lsched_job_info info = {.size = sizeof info};
    int64_t held = members_lost_later(b, plan, d);
    lsched_job_get(b->c, j->id, &info, NULL);
    for (uint32_t i = 0; i < after->n; i++) {
        const lsched_task_info *t = &after->at[i];
        held += t->job == d->job && leaf_of(j, t->task_index) == l &&
                (holds(t) || t->state == LSCHED_TASK_NOMINATED);
    }
    return info.tasks_done > 0 || held >= l->min;
}

static int is_told_to_stop(const lsched_plan *plan, const lsched_task_info *t) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->job == t->job && d->task_index == t->task_index &&
            (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE ||
             d->kind == LSCHED_DECIDE_CHECKPOINT))
            return 1;
    }
    return 0;
}

/* Adds the row of a task that holds something or is nominated, unless the task has a row. */
static void add_held(struct rows *most, lsched_task_info t) {
    if (t.state == LSCHED_TASK_NOMINATED) t.state = LSCHED_TASK_RUNNING;
    if (holds(&t) && !has_row(most, t.job, t.task_index, ANY_HOLD)) most->at[most->n++] = t;
}

/* All that tasks may have held when the cycle chose a victim, each task once, as rows that hold:
 * what was held or nominated before the cycle, and what it placed or nominated. A task that was
 * releasing counts if the cycle withdrew its eviction: such a task runs after the cycle, or the
 * plan stops it again. */
static const struct rows *rows_at_most(const struct book_before *before, const struct rows *after,
                                       const lsched_plan *plan) {
    static struct rows most;
    most.n = 0;
    for (uint32_t i = 0; i < before->rows.n; i++) {
        lsched_task_info t = before->rows.at[i];
        if (t.state == LSCHED_TASK_RELEASING &&
            (has_row(after, t.job, t.task_index, LSCHED_TASK_RUNNING) || is_told_to_stop(plan, &t)))
            t.state = LSCHED_TASK_RUNNING;
        add_held(&most, t);
    }
    for (uint32_t i = 0; i < after->n; i++) add_held(&most, after->at[i]);
    return &most;
}

static void check_eviction(struct books *b, const struct book_before *before,
                           const struct rows *after, const struct rows *most,
                           const lsched_plan *plan, const lsched_decision *d) {
    const struct book_job *victim = book_job_of(b, d->job), *winner = book_job_of(b, d->for_job);
    const lsched_task_info *t = NULL;
    for (uint32_t i = 0; i < before->rows.n; i++)
        if (before->rows.at[i].job == d->job && before->rows.at[i].task_index == d->task_index &&
            (before->rows.at[i].state == LSCHED_TASK_RUNNING ||
             before->rows.at[i].state == LSCHED_TASK_RELEASING))
            t = &before->rows.at[i]; /* an older eviction of it may have been withdrawn just now */
    if (!t) book_finding(b, "%s/%u is stopped, and does not run", victim->name, d->task_index);
    if (d->reason != LSCHED_FOR_RECLAIM && d->reason != LSCHED_FOR_PREEMPT &&
        d->reason != LSCHED_FOR_CONSOLIDATE)
        return;
    int surplus = is_surplus(b, after, plan, d);
    if (victim->flags & LSCHED_JOB_NON_PREEMPTIBLE && !surplus)
        book_finding(b, "%s/%u is stopped, and not preemptible; its leaves have minimums %u, %u",
                     victim->name, d->task_index, victim->leaf[0].min, victim->leaf[1].min);
    if (winner && winner->flags & LSCHED_JOB_NEVER_PREEMPTS && d->reason != LSCHED_FOR_CONSOLIDATE)
        book_finding(b, "%s is stopped for %s, which never preempts", victim->name, winner->name);
    if (d->reason == LSCHED_FOR_RECLAIM && b->guaranteed && d->kind != LSCHED_DECIDE_MIGRATE &&
        winner)
        check_protection(b, most, victim, winner);
    const struct book_queue *q = &b->queue[victim->queue];
    /* A move does not begin the run time again, and the record has the start after the move. */
    int64_t age = victim->task[d->task_index].moved ? LSCHED_NEVER_US : b->now_us - t->start_us;
    if (surplus) return;
    if (d->reason == LSCHED_FOR_RECLAIM && age < q->reclaim_min_us)
        book_finding(b, "%s is stopped after %lld us", victim->name, (long long)age);
    if (d->reason == LSCHED_FOR_PREEMPT && age < q->preempt_min_us)
        book_finding(b, "%s is stopped after %lld us", victim->name, (long long)age);
    if (d->reason == LSCHED_FOR_PREEMPT && winner && winner->queue == victim->queue &&
        winner->priority <= victim->priority)
        book_finding(b, "%s (priority %d) is stopped for %s (%d) of the same queue", victim->name,
                     victim->priority, winner->name, winner->priority);
}

/* ---- reasons of single tasks ---- */

static int task_fits(const struct book_node *n, const struct book_leaf *l, const struct load *x) {
    uint32_t idle = 0, part = 0;
    if (x->cpu + l->cpu_milli > n->cpu_milli) return 0;
    if (x->memory + l->memory_bytes > n->memory_bytes) return 0;
    for (uint32_t d = 0; d < n->devices; d++) {
        idle += x->milli[d] == 0 && x->slices[d] == 0;
        part |= x->milli[d] + l->share_milli <= 1000 && x->slices[d] == 0;
    }
    if (l->devices) return n->mode == LSCHED_SHARING_WHOLE && idle >= l->devices;
    if (l->share_milli) return n->mode == LSCHED_SHARING_FRACTION && part;
    return !l->mig[0] || (n->mode == LSCHED_SHARING_MIG && idle > 0);
}

/* Room that claims and owners of guarantees hold is idle and not to be had: only where nobody has
 * such a right is an idle node a fault. */
static int nobody_claims(const struct books *b, const struct rows *r) {
    for (uint32_t i = 0; i < r->n; i++)
        if (r->at[i].state == LSCHED_TASK_NOMINATED || r->at[i].state == LSCHED_TASK_RELEASING)
            return 0;
    return !b->guaranteed;
}

static void check_wait(struct books *b, const struct rows *r, const lsched_waiting *w) {
    const struct book_job *j = book_job_of(b, w->job);
    if (!j) book_finding(b, "a reason for a job that does not exist");
    if (!j->simple) return;
    b->counts.waits_checked++;
    const struct book_leaf *l = &j->leaf[0];
    const struct load none = {0};
    for (uint32_t i = 0; i < BOOK_NODES; i++) {
        const struct book_node *n = &b->node[i];
        struct load x;
        if (!n->id || n->excess) continue;
        load_of(b, r, n, &x);
        if (x.excess) continue;
        if (w->code == LSCHED_WAIT_NEVER_FITS && task_fits(n, l, &none))
            book_finding(b, "%s never fits, but on %s when empty", j->name, n->name);
        if (w->code == LSCHED_WAIT_ROOM && n->state == LSCHED_NODE_READY && task_fits(n, l, &x) &&
            nobody_claims(b, r))
            book_finding(b, "%s waits for room, and %s has it", j->name, n->name);
    }
    if (w->code != LSCHED_WAIT_LIMIT || w->kind > LSCHED_GPU || w->kind < LSCHED_CPU) return;
    for (uint32_t q = 0; q < BOOK_QUEUES; q++)
        if (b->queue[q].id && b->queue[q].id == w->limiting_queue &&
            b->queue[q].limit[w->kind] == LSCHED_UNLIMITED)
            book_finding(b, "%s waits for a limit of %s that is not set", j->name,
                         b->queue[q].name);
}

static void check_budgets(struct books *b, const struct book_before *before,
                          const lsched_plan *plan, const lsched_schedule_opts *opts) {
    lsched_plan_info info = {.size = sizeof info};
    size_t n = lsched_plan_size(plan);
    lsched_plan_get(plan, &info, NULL);
    size_t made = 0; /* claims that became places are not counted; they were decided before */
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        made += d->kind == LSCHED_DECIDE_PLACE ? !was_claim(before, d) : !d->checkpoint;
    }
    if (opts->decisions_max && made > opts->decisions_max)
        book_finding(b, "%zu decisions, at most %u were asked for", made, opts->decisions_max);
    if (info.now_us != opts->now_us) book_finding(b, "the plan is of another time");
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_cluster_stats_get(b->c, &stats, NULL);
    if (stats.decisions_open > BOOK_OPEN) book_finding(b, "too many decisions are open");
    if (info.next_wake_us != lsched_next_wake(b->c))
        book_finding(b, "the plan wakes at %lld, the cluster at %lld", (long long)info.next_wake_us,
                     (long long)lsched_next_wake(b->c));
}

void books_check_plan(struct books *b, struct book_before *before, const lsched_plan *plan,
                      const lsched_schedule_opts *opts) {
    static struct rows r;
    lsched_error err = LSCHED_ERROR_INIT;
    read_rows(b, &r);
    const struct rows *most = rows_at_most(before, &r, plan);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        const struct book_job *j = book_job_of(b, d->job);
        if (!j) book_finding(b, "a decision about a job that does not exist");
        if (d->kind == LSCHED_DECIDE_PLACE) check_place(b, before, &r, d);
        if (d->kind == LSCHED_DECIDE_PLACE) check_gang(b, &r, j);
        /* the EVICT that follows a CHECKPOINT was judged with it */
        if ((d->kind == LSCHED_DECIDE_EVICT && !d->checkpoint) ||
            d->kind == LSCHED_DECIDE_MIGRATE || d->kind == LSCHED_DECIDE_CHECKPOINT)
            check_eviction(b, before, &r, most, plan, d);
    }
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    /* of a cycle that was cut off the code is that of an earlier try, which may be cured by now */
    for (size_t i = 0; !(info.flags & LSCHED_PLAN_PARTIAL) && i < lsched_plan_waiting_size(plan);
         i++)
        check_wait(b, &r, lsched_plan_waiting_at(plan, i));
    check_budgets(b, before, plan, opts);
    if (b->step % 8 == 0 && lsched_verify(b->c, plan, &err) < 0)
        book_finding(b, "verify of the plan: %s", err.message);
}
