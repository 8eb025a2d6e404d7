/*
 * host_books.h -- the books of a host that polls nothing, for tests: what it knows of its jobs, tasks and
 * decisions from its own calls, from plans, and from the change feed.
 *
 * The host notes what it asked for (books_settled(), books_reported() ...), then it reads the feed
 * (books_read()); after a cycle it reads the feed first and then the plan (books_plan()).
 * books_check() compares the books with the cluster, object by object. No function but that one asks
 * the cluster anything except the feed.
 *
 * The books also have the amounts of each running task (lsched_tasks_resize): what the task has is
 * what its job requests, until the host confirms a RESIZE. From these amounts alone, books_check()
 * counts what each node gives away, so that room that is given twice, or is not given back, is
 * found.
 */
#ifndef TESTS_HOST_BOOKS_H
#define TESTS_HOST_BOOKS_H

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#define BOOK_JOBS      256u
#define BOOK_TASKS     2048u
#define BOOK_DECISIONS 4096u
#define BOOK_KINDS     16u
#define BOOK_SIZES     2u /* kinds of which the amounts are in the books: cpu and memory */

static const uint32_t book_sizes[BOOK_SIZES] = {LSCHED_CPU, LSCHED_MEMORY};

/* Amounts of a task on a node: what it has, and what it is to have. */
struct book_size {
    int64_t has[BOOK_SIZES], wants[BOOK_SIZES];
    lsched_id node;
};

struct book_task {
    uint32_t job, index, state; /* job: index in jobs[] */
    lsched_id node, decision;   /* decision: that places or nominates it */
    lsched_id leaving, evicted; /* node of what was told to stop; open decision that told it */
    lsched_id resize;           /* open decision RESIZE; `decision` is the same */
    struct book_size size;      /* RUNNING: of what runs */
    struct book_size left;      /* of what was told to stop */
};

struct book_job {
    lsched_id id;
    char name[24];
    uint32_t held, stale;
    int64_t hold_until; /* of a hold by the host itself; 0: none */
    int64_t request[BOOK_SIZES];
};

struct book_decision {
    lsched_id id;
    uint32_t kind, state, task; /* task: index in tasks[] */
    lsched_decision told;       /* as the plan had it */
};

struct books {
    uint64_t cursor;
    uint32_t n_jobs, n_tasks, n_decisions;
    struct book_job jobs[BOOK_JOBS];
    struct book_task tasks[BOOK_TASKS];
    struct book_decision decisions[BOOK_DECISIONS];
    lsched_id rejected[64]; /* of the batch in hand: it may also be withdrawn by another element */
    uint32_t n_rejected;
    uint64_t seen[BOOK_KINDS]; /* changes by kind */
    uint64_t hash;             /* of all changes, names included, cursors left out */
    const char *wrong;         /* what did not fit; NULL: all did */
    int64_t now_us;            /* time of the latest cycle */
    uint64_t displaced;        /* proposals that gave way to a task that the host found running */
    uint64_t resized;          /* RESIZE decisions that the host confirmed */
};

static inline void book_wrong(struct books *b, const char *what) {
    if (!b->wrong) b->wrong = what;
}

static inline uint32_t book_job(struct books *b, lsched_id id) {
    for (uint32_t j = 0; j < b->n_jobs; j++)
        if (b->jobs[j].id == id) return j;
    book_wrong(b, "a job that the host does not know");
    return 0;
}

static inline struct book_task *book_task(struct books *b, lsched_id job, uint32_t index) {
    uint32_t j = book_job(b, job);
    for (uint32_t t = 0; t < b->n_tasks; t++)
        if (b->tasks[t].job == j && b->tasks[t].index == index) return &b->tasks[t];
    struct book_task *t = &b->tasks[b->n_tasks++];
    assert_true(b->n_tasks <= BOOK_TASKS);
    *t = (struct book_task){.job = j, .index = index};
    return t;
}

static inline struct book_decision *book_decision(struct books *b, lsched_id id) {
    for (uint32_t d = 0; d < b->n_decisions; d++)
        if (b->decisions[d].id == id) return &b->decisions[d];
    return NULL;
}

static inline void book_forget(struct books *b, lsched_id id) {
    struct book_decision *d = book_decision(b, id);
    if (d) *d = b->decisions[--b->n_decisions];
}

/* request: what each task of the job has at its start, by the place of the kind in book_sizes. */
static inline void books_submitted(struct books *b, lsched_id job, const char *name,
                                   const int64_t request[BOOK_SIZES]) {
    struct book_job *j = &b->jobs[b->n_jobs++];
    assert_true(b->n_jobs <= BOOK_JOBS);
    *j = (struct book_job){.id = job};
    memcpy(j->request, request, sizeof j->request);
    snprintf(j->name, sizeof j->name, "%s", name);
}

/* Takes a job out, with its tasks and decisions. */
static inline void books_removed(struct books *b, lsched_id job) {
    uint32_t j = book_job(b, job);
    for (uint32_t t = 0; t < b->n_tasks; t++) {
        struct book_task *x = &b->tasks[t];
        if (x->job != j) continue;
        book_forget(b, x->decision);
        book_forget(b, x->evicted);
        *x = (struct book_task){.job = BOOK_JOBS};
    }
    b->jobs[j].id = 0;
}

/* ---- amounts of running tasks ---- */

static inline int book_wants(const struct book_size *s) {
    return memcmp(s->has, s->wants, sizeof s->has) != 0;
}

/* The task begins to run: it has what its job requests. */
static inline void book_size_begin(struct books *b, struct book_task *t, lsched_id node) {
    t->size.node = node;
    memcpy(t->size.has, b->jobs[t->job].request, sizeof t->size.has);
    memcpy(t->size.wants, t->size.has, sizeof t->size.wants);
    t->resize = 0;
}

/* An open RESIZE is over: the wish is fulfilled, ends, or waits for the next cycle. */
enum book_resize_end { BOOK_RESIZE_CONFIRMED, BOOK_RESIZE_REJECTED, BOOK_RESIZE_WITHDRAWN };
static inline void book_resize_over(struct books *b, struct book_task *t,
                                    enum book_resize_end how) {
    struct book_size *s = &t->size;
    b->resized += how == BOOK_RESIZE_CONFIRMED;
    if (how == BOOK_RESIZE_CONFIRMED) memcpy(s->has, s->wants, sizeof s->has);
    if (how == BOOK_RESIZE_REJECTED) memcpy(s->wants, s->has, sizeof s->has);
    book_forget(b, t->resize);
    t->resize = t->decision = 0;
}

/* The host asked for other amounts, and the call took them. An open RESIZE for others is over; the
 * host knows that, so that the feed does not tell it. */
static inline void books_wished(struct books *b, lsched_id job, uint32_t index,
                                const int64_t wants[BOOK_SIZES]) {
    struct book_task *t = book_task(b, job, index);
    if (memcmp(t->size.wants, wants, sizeof t->size.wants) == 0) return;
    if (t->resize) book_resize_over(b, t, BOOK_RESIZE_WITHDRAWN);
    memcpy(t->size.wants, wants, sizeof t->size.wants);
}

static inline void book_resize_told(struct books *b, struct book_task *t,
                                    const lsched_decision *d) {
    if (t->state != LSCHED_TASK_RUNNING || t->node != d->node || t->decision)
        book_wrong(b, "a RESIZE of what does not run there, or has another decision");
    if (!book_wants(&t->size)) book_wrong(b, "a RESIZE that nobody asked for");
    t->resize = t->decision = d->id;
}

/* The feed says that a wish ended with its task, before or after it says how the task ended. */
static inline void book_wish_ended(struct books *b, struct book_task *t, lsched_id node) {
    if (!t) {
        book_wrong(b, "a wish of no task ended");
        return;
    }
    struct book_size *s = t->size.node == node && book_wants(&t->size) ? &t->size : &t->left;
    if (s->node != node) book_wrong(b, "a wish ended where no task was");
    if (!book_wants(s)) book_wrong(b, "a wish ended that nobody had");
    memcpy(s->wants, s->has, sizeof s->has);
}

/* ---- what the host asked for ---- */

static inline void book_undone(struct books *b, lsched_id id) {
    struct book_decision *d = book_decision(b, id);
    struct book_task *t = d ? &b->tasks[d->task] : NULL;
    if (!t) return;
    if (t->decision == id) {
        t->state = LSCHED_TASK_NONE;
        t->decision = t->node = 0;
    } else if (t->evicted == id) { /* it runs on */
        t->state = LSCHED_TASK_RUNNING;
        t->decision = 0; /* of the new place of a move: the feed says that it is withdrawn */
        t->node = t->leaving;
        t->evicted = t->leaving = 0;
        t->size = t->left;
    }
    book_forget(b, id);
}

static inline void books_settled(struct books *b, lsched_id id, lsched_outcome how) {
    struct book_decision *d = book_decision(b, id);
    int resize = d && d->kind == LSCHED_DECIDE_RESIZE;
    if (how == LSCHED_OUTCOME_REJECTED) b->rejected[b->n_rejected++ % 64] = id;
    if (resize) {
        book_resize_over(b, &b->tasks[d->task],
                         how == LSCHED_OUTCOME_REJECTED ? BOOK_RESIZE_REJECTED
                                                        : BOOK_RESIZE_CONFIRMED);
        return;
    }
    if (how == LSCHED_OUTCOME_REJECTED) {
        book_undone(b, id);
        return;
    }
    if (!d) {
        book_wrong(b, "confirmed what the host does not know");
        return;
    }
    d->state = LSCHED_DECISION_CONFIRMED;
    d->told.until_us = d->kind == LSCHED_DECIDE_CHECKPOINT ? b->now_us : LSCHED_NEVER_US;
    if (d->kind == LSCHED_DECIDE_PLACE) b->tasks[d->task].state = LSCHED_TASK_CONFIRMED;
}

static inline void books_reported(struct books *b, lsched_id job, uint32_t index, uint32_t event) {
    struct book_task *t = book_task(b, job, index);
    int left = t->leaving && event != LSCHED_EVENT_STARTED;
    if (left) {
        /* an earlier element of the batch can have ended the move before this one ends the task */
        b->rejected[b->n_rejected++ % 64] = t->evicted;
        book_forget(b, t->evicted);
        t->leaving = t->evicted = 0;
        if (event == LSCHED_EVENT_FAILED) return;
        /* ... or have withdrawn the new place of the task */
        b->rejected[b->n_rejected++ % 64] = t->decision;
    }
    book_forget(b, t->decision);
    t->decision = 0;
    book_size_begin(b, t, t->node);
    t->state = event == LSCHED_EVENT_STARTED ? LSCHED_TASK_RUNNING
               : event == LSCHED_EVENT_ENDED ? LSCHED_TASK_DONE
                                             : LSCHED_TASK_NONE;
    if (event != LSCHED_EVENT_STARTED) t->node = 0;
}

/* A task that the host found running. */
static inline void books_imported(struct books *b, const lsched_task_import *m) {
    struct book_task *t = book_task(b, m->job, m->task_index);
    book_forget(b, t->decision);
    t->decision = 0;
    book_size_begin(b, t, m->node);
    t->state = LSCHED_TASK_RUNNING;
    t->node = m->node;
}

static inline void books_plan(struct books *b, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        struct book_task *t = book_task(b, d->job, d->task_index);
        struct book_decision *to = &b->decisions[b->n_decisions++];
        assert_true(b->n_decisions <= BOOK_DECISIONS);
        *to = (struct book_decision){.id = d->id,
                                     .kind = d->kind,
                                     .state = LSCHED_DECISION_PROPOSED,
                                     .told = *d,
                                     .task = (uint32_t)(t - b->tasks)};
        if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE ||
            d->kind == LSCHED_DECIDE_CHECKPOINT) {
            int follows = t->leaving && !t->evicted; /* a CHECKPOINT that is over */
            if (follows != (d->checkpoint != LSCHED_CHECKPOINT_NONE))
                book_wrong(b, "an eviction follows no CHECKPOINT, or one that is still open");
            if (t->state == LSCHED_TASK_RUNNING) {
                t->state = LSCHED_TASK_NONE;
                t->node = 0;
                t->left = t->size;
            }
            t->leaving = d->node;
            t->evicted = d->id;
        } else if (d->kind == LSCHED_DECIDE_RESIZE) {
            book_resize_told(b, t, d);
        } else {
            t->state =
                d->kind == LSCHED_DECIDE_PLACE ? LSCHED_TASK_PROPOSED : LSCHED_TASK_NOMINATED;
            t->node = d->node;
            t->decision = d->id;
        }
    }
}

/* ---- the feed ---- */

static inline void book_add_bytes(struct books *b, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) b->hash = (b->hash ^ p[i]) * UINT64_C(0x100000001b3);
}

static inline void book_add(struct books *b, const lsched_change *c) {
    lsched_text texts[] = {c->job_name, c->node_name, c->queue_name, c->cause_name};
    book_add_bytes(b, c, offsetof(lsched_change, job_name));
    for (int i = 0; i < 4; i++) {
        book_add_bytes(b, &texts[i].len, sizeof texts[i].len);
        book_add_bytes(b, texts[i].ptr, (size_t)texts[i].len);
    }
}

static inline int book_rejected(const struct books *b, lsched_id decision) {
    int mine = 0;
    for (uint32_t i = 0; i < b->n_rejected && i < 64; i++) mine |= b->rejected[i] == decision;
    return mine;
}

static inline void book_withdrawn(struct books *b, const lsched_change *c) {
    struct book_decision *d = book_decision(b, c->decision);
    struct book_task *t = book_task(b, c->job, (uint32_t)c->task_index);
    b->displaced += c->call == LSCHED_CALL_TASKS_IMPORT && c->because == LSCHED_BECAUSE_ROOM &&
                    c->decision_kind == LSCHED_DECIDE_PLACE;
    if (c->decision_kind == LSCHED_DECIDE_RESIZE) { /* also one of the same call: t->resize is 0 */
        if (t->resize != c->decision && (d || t->resize)) book_wrong(b, "no such RESIZE was open");
        if (t->resize) book_resize_over(b, t, BOOK_RESIZE_WITHDRAWN);
        return;
    }
    if (!d && t->state == LSCHED_TASK_NOMINATED && !t->decision) { /* seated by the same call */
        t->state = LSCHED_TASK_NONE;
        t->node = 0;
        return;
    }
    if (!d && t->leaving && !t->evicted && !book_rejected(b, c->decision)) {
        t->state = LSCHED_TASK_RUNNING; /* its CHECKPOINT was over in the same call */
        t->decision = 0;
        t->node = t->leaving;
        t->leaving = 0;
        t->size = t->left;
        return;
    }
    if (!d && !book_rejected(b, c->decision)) book_wrong(b, "withdrawn twice, or never told");
    if (d && d->kind != c->decision_kind) book_wrong(b, "withdrawn as of another kind");
    book_undone(b, c->decision);
}

static inline void book_checkpoint_over(struct books *b, const lsched_change *c) {
    const struct book_decision *d = book_decision(b, c->decision);
    struct book_task *t = book_task(b, c->job, (uint32_t)c->task_index);
    if (!d || d->kind != LSCHED_DECIDE_CHECKPOINT || t->evicted != c->decision ||
        (c->because == LSCHED_BECAUSE_CHECKPOINT) != (d->state == LSCHED_DECISION_CONFIRMED) ||
        (c->because == LSCHED_BECAUSE_TIME && d->told.until_us > b->now_us)) {
        book_wrong(b, "no checkpoint was over");
        return;
    }
    book_forget(b, c->decision);
    t->evicted = 0;
}

static inline void book_change(struct books *b, const lsched_change *c) {
    struct book_job *j = &b->jobs[book_job(b, c->job)];
    struct book_decision *d = book_decision(b, c->decision);
    struct book_task *t =
        c->task_index == LSCHED_NO_TASK ? NULL : book_task(b, c->job, (uint32_t)c->task_index);
    if (c->because == LSCHED_BECAUSE_NONE) book_wrong(b, "a change without a reason");
    if (c->job_name.len != strlen(j->name) ||
        memcmp(c->job_name.ptr, j->name, strlen(j->name)) != 0)
        book_wrong(b, "the job has another name");
    switch (c->kind) {
    case LSCHED_CHANGE_WITHDRAWN: book_withdrawn(b, c); break;
    case LSCHED_CHANGE_SEATED:
        if (!d || d->kind != LSCHED_DECIDE_NOMINATE) book_wrong(b, "seated what was not nominated");
        book_forget(b, c->decision);
        if (t) t->decision = 0;
        break;
    case LSCHED_CHANGE_MOVE_ENDED:
        if (d ? d->kind != LSCHED_DECIDE_MIGRATE : !book_rejected(b, c->decision))
            book_wrong(b, "no move ended");
        if (d) d->kind = d->told.kind = LSCHED_DECIDE_EVICT;
        if (d) d->told.to_node = 0;
        break;
    case LSCHED_CHANGE_CHECKPOINT_OVER: book_checkpoint_over(b, c); break;
    case LSCHED_CHANGE_LOST:
        if (!t || t->state != LSCHED_TASK_RUNNING || t->node != c->node)
            book_wrong(b, "lost what did not run there");
        if (t) t->state = LSCHED_TASK_NONE;
        if (t) t->node = 0;
        break;
    case LSCHED_CHANGE_GONE:
        if (!t || t->leaving != c->node) book_wrong(b, "gone what did not stop there");
        if (!t) break;
        book_forget(b, t->evicted);
        t->leaving = t->evicted = 0;
        break;
    case LSCHED_CHANGE_OVERDUE:
        if (!t || t->leaving != c->node) book_wrong(b, "overdue what does not stop");
        break;
    case LSCHED_CHANGE_HELD:
    case LSCHED_CHANGE_RELEASED:
        if (c->held == LSCHED_HELD_HOST) { /* the time of a hold by the host came */
            if (j->hold_until == 0 || j->hold_until > c->at_us || c->because != LSCHED_BECAUSE_TIME)
                book_wrong(b, "a hold by the host ended before its time");
            j->hold_until = 0;
            break;
        }
        if (!j->held == !c->held) book_wrong(b, "held twice");
        j->held = c->held;
        break;
    case LSCHED_CHANGE_STALE:
    case LSCHED_CHANGE_REPAIRED:
        if (j->stale == (c->kind == LSCHED_CHANGE_STALE)) book_wrong(b, "stale twice");
        j->stale = c->kind == LSCHED_CHANGE_STALE;
        break;
    case LSCHED_CHANGE_ENDED: books_removed(b, c->job); break;
    case LSCHED_CHANGE_RESIZE_ENDED: book_wish_ended(b, t, c->node); break;
    default: break; /* backoff, avoided: the host may show them */
    }
}

/* Reads all that is new. Returns the number of changes, or LSCHED_E_GONE. */
static inline int32_t books_read(struct books *b, const lsched_cluster *cluster) {
    lsched_change c = {.size = sizeof c};
    int32_t n = 0, rc;
    while ((rc = lsched_changes_next(cluster, &b->cursor, &c, NULL)) == 1) {
        assert_true(c.kind > 0 && c.kind < BOOK_KINDS);
        b->seen[c.kind]++;
        book_add(b, &c);
        book_change(b, &c);
        n++;
        if (b->wrong)
            print_error("%s because %s by %s: %.*s task %lld on %.*s, for %.*s\n",
                        lsched_change_name(c.kind), lsched_because_name(c.because),
                        lsched_call_name(c.call), (int)c.job_name.len, c.job_name.ptr,
                        (long long)c.task_index, (int)c.node_name.len, c.node_name.ptr,
                        (int)c.cause_name.len, c.cause_name.ptr);
        if (b->wrong) return LSCHED_OK;
    }
    b->n_rejected = 0;
    return rc < 0 ? rc : n;
}

/* ---- against the cluster ---- */

/* What a node is charged for a task: for each kind the larger amount while a RESIZE is open. */
static inline int64_t book_charge(const struct book_task *t, const struct book_size *s,
                                  uint32_t i) {
    int grows = t->resize && s == &t->size && s->wants[i] > s->has[i];
    return grows ? s->wants[i] : s->has[i];
}

static inline void book_check_task(struct books *b, const lsched_task_info *info, uint32_t *placed,
                                   uint32_t *leaving) {
    const struct book_task *t = book_task(b, info->job, info->task_index);
    if (info->state == LSCHED_TASK_RELEASING) {
        if (t->leaving != info->node) book_wrong(b, "a task stops, the books do not know");
        ++*leaving;
        return;
    }
    if (t->state != info->state) book_wrong(b, "a task has another state");
    if (info->state == LSCHED_TASK_NONE || info->state == LSCHED_TASK_DONE) return;
    if (t->node != info->node) book_wrong(b, "a task is on another node");
    if (t->decision != info->decision) book_wrong(b, "a task has another decision");
    ++*placed;
}

/* Compares the amounts of a running task, or of what was told to stop, with the cluster. */
static inline void book_check_size(struct books *b, const lsched_cluster *cluster,
                                   const lsched_task_info *info) {
    const struct book_task *t = book_task(b, info->job, info->task_index);
    int runs = info->state == LSCHED_TASK_RUNNING;
    const struct book_size *s = runs ? &t->size : &t->left;
    lsched_resize_info z = LSCHED_RESIZE_INFO_INIT;
    if (!runs && t->state == LSCHED_TASK_RUNNING) return; /* the calls show what runs */
    if (lsched_resize_get(cluster, info->job, info->task_index, &z, NULL) != LSCHED_OK) {
        book_wrong(b, "a task has no amounts");
        return;
    }
    int sized = book_wants(s) || memcmp(s->has, b->jobs[t->job].request, sizeof s->has) != 0;
    uint32_t state = !sized          ? LSCHED_RESIZE_STATE_NONE
                     : !runs         ? LSCHED_RESIZE_STATE_STOPPING
                     : t->resize     ? LSCHED_RESIZE_STATE_PROPOSED
                     : book_wants(s) ? LSCHED_RESIZE_STATE_WAITING
                                     : LSCHED_RESIZE_STATE_DONE;
    if (z.state != state) book_wrong(b, "a resize has another state");
    if (z.decision != (runs ? t->resize : 0)) book_wrong(b, "a resize has another decision");
    if (z.node != info->node) book_wrong(b, "a resize is on another node");
    for (uint32_t i = 0; i < BOOK_SIZES; i++) {
        int64_t is[3];
        for (uint32_t w = LSCHED_RESIZE_AMOUNT_HAS; w <= LSCHED_RESIZE_AMOUNT_CHARGED; w++)
            is[w] =
                lsched_resize_amount(cluster, info->job, info->task_index, book_sizes[i], w, NULL);
        if (is[LSCHED_RESIZE_AMOUNT_HAS] != s->has[i]) book_wrong(b, "a task has other amounts");
        if (is[LSCHED_RESIZE_AMOUNT_WANTS] != s->wants[i])
            book_wrong(b, "a task wants other amounts");
        if (is[LSCHED_RESIZE_AMOUNT_CHARGED] != book_charge(t, s, i))
            book_wrong(b, "a task is charged other amounts");
    }
}

/* What each node gives away is the sum of what the tasks on it are charged in the books. */
static inline void book_check_nodes(struct books *b, const lsched_cluster *cluster) {
    uint64_t cursor = 0;
    for (lsched_id n; (n = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0;)
        for (uint32_t i = 0; i < BOOK_SIZES; i++) {
            int64_t sum = 0, capacity = 0, room = 0;
            for (uint32_t x = 0; x < b->n_tasks; x++) {
                const struct book_task *t = &b->tasks[x];
                if (t->job == BOOK_JOBS) continue;
                if (t->leaving == n) sum += t->left.has[i];
                if (t->node != n) continue;
                if (t->state == LSCHED_TASK_RUNNING) sum += book_charge(t, &t->size, i);
                if (t->state == LSCHED_TASK_PROPOSED || t->state == LSCHED_TASK_CONFIRMED)
                    sum += b->jobs[t->job].request[i];
            }
            lsched_node_amount(cluster, n, book_sizes[i], &capacity, &room, NULL);
            if (capacity - room != sum) book_wrong(b, "a node gives away another amount");
        }
}

/* A plan lets tasks grow only into room that their nodes have. Is called after books_plan() for the
 * same plan: whatever else the plan says takes no room, or room that was free, too. */
static inline void books_check_growth(struct books *b, const lsched_cluster *cluster,
                                      const lsched_plan *plan) {
    for (size_t p = 0; p < lsched_plan_size(plan); p++) {
        const lsched_decision *d = lsched_plan_at(plan, p);
        const struct book_task *t = book_task(b, d->job, d->task_index);
        for (uint32_t i = 0; d->kind == LSCHED_DECIDE_RESIZE && i < BOOK_SIZES; i++) {
            int64_t room = 0;
            if (t->size.wants[i] <= t->size.has[i]) continue;
            lsched_node_amount(cluster, d->node, book_sizes[i], NULL, &room, NULL);
            if (room < 0) book_wrong(b, "a task grows into room that its node does not have");
        }
    }
}

/* What the cluster reads back of open decisions is what plans told of them. */
static inline void book_check_decisions(struct books *b, const lsched_cluster *cluster) {
    lsched_decision d = {.size = sizeof d};
    uint64_t cursor = 0;
    uint32_t n = 0;
    for (; lsched_decisions_next(cluster, &cursor, &d, NULL) == 1; n++) {
        const struct book_decision *have = book_decision(b, d.id);
        if (!have) {
            book_wrong(b, "a decision that the books do not have");
            continue;
        }
        if (d.state != have->state) book_wrong(b, "a decision is read back in another state");
        d.state = have->told.state;
        if (memcmp(&d, &have->told, sizeof d) != 0)
            book_wrong(b, "a decision is read back with other content");
    }
    if (n != b->n_decisions) book_wrong(b, "another number of decisions is read back");
}

static inline void books_check(struct books *b, const lsched_cluster *cluster) {
    uint32_t jobs = 0, placed = 0, leaving = 0, in_books = 0, leave_in_books = 0;
    for (uint32_t j = 0; j < b->n_jobs; j++) {
        lsched_job_info info = {.size = sizeof info};
        lsched_task_info task = {.size = sizeof task};
        uint64_t cursor = 0;
        if (b->jobs[j].id == 0) continue;
        jobs++;
        if (lsched_job_get(cluster, b->jobs[j].id, &info, NULL) < 0) {
            book_wrong(b, "a job ended, the books do not know");
            continue;
        }
        if (info.held != (b->jobs[j].held         ? b->jobs[j].held
                          : b->jobs[j].hold_until ? (uint32_t)LSCHED_HELD_HOST
                                                  : 0))
            book_wrong(b, "a job is held or not");
        if (info.hold_until_us != b->jobs[j].hold_until)
            book_wrong(b, "a hold by the host ends at another time");
        if (info.stale_gang != b->jobs[j].stale) book_wrong(b, "a gang is stale or not");
        while (lsched_tasks_next(cluster, b->jobs[j].id, 0, &cursor, &task, NULL) == 1) {
            book_check_task(b, &task, &placed, &leaving);
            if (task.state == LSCHED_TASK_RUNNING || task.state == LSCHED_TASK_RELEASING)
                book_check_size(b, cluster, &task);
        }
    }
    for (uint32_t t = 0; t < b->n_tasks; t++) {
        if (b->tasks[t].job == BOOK_JOBS) continue;
        in_books += b->tasks[t].state != LSCHED_TASK_NONE && b->tasks[t].state != LSCHED_TASK_DONE;
        leave_in_books += b->tasks[t].leaving != 0;
    }
    if (in_books != placed) book_wrong(b, "the books place another number of tasks");
    if (leave_in_books != leaving) book_wrong(b, "the books let another number of tasks stop");
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_cluster_stats_get(cluster, &stats, NULL);
    if (stats.jobs != jobs) book_wrong(b, "the books have another number of jobs");
    if (stats.decisions_open != b->n_decisions)
        book_wrong(b, "the books have another number of decisions");
    for (uint32_t d = 0; d < b->n_decisions; d++)
        if (lsched_decision_state(cluster, b->decisions[d].id, NULL) !=
            (int32_t)b->decisions[d].state)
            book_wrong(b, "a decision has another state");
    book_check_decisions(b, cluster);
    book_check_nodes(b, cluster);
}

#endif
