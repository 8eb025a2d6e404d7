/*
 * A host that polls nothing: its books (host_books.h), which it keeps by its own calls, by plans and by
 * the change feed, equal the cluster after each of thousands of random calls. Calls fail for want of
 * memory, elements of batches fail; what did not happen is not in the feed. The same calls, and the
 * same calls on a loaded copy, give the same changes, byte for byte. The counters of the cluster have
 * counted each change once, and nothing of a call that failed.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include "api/calls/skip_check.h"
#include "property/evict_world.h"

#include "property/host_books.h"
#include "support/counted.h"
#include "support/fault_alloc.h"
#include "support/job_priority.h"
#include "support/settle.h"

struct host {
    struct ev_world w;
    struct books b;
    struct fault_alloc faults;
    lsched_allocator hooks;
    lsched_cluster_opts opts;
    uint64_t refused; /* calls that failed for want of memory */
    uint64_t failed_elements, completed, unheld, holds, released, imported, wished;
};

/* ---- calls that may fail for want of memory ---- */

static uint64_t image_of(const struct host *h) {
    return ev_image(h->w.c);
}

static int32_t do_settle(struct host *h, const lsched_id *ids, const lsched_outcome *how, size_t n,
                         lsched_error *err) {
    return settle_each(h->w.c, ids, how, n, NULL, err);
}

/* Lets every few calls fail at one of their allocations. What fails changes nothing, in the feed
 * either; then it is done again. */
#define WITH_FAULTS(h, rc, err, call)                                                      \
    do {                                                                                   \
        if (chance_one_in(&(h)->w.chance, 4)) {                                            \
            uint64_t was_ = image_of(h), end_ = lsched_changes_end((h)->w.c);              \
            lsched_counters count_ = counted((h)->w.c), then_;                             \
            (h)->faults.fail_at = (h)->faults.calls + 1 + chance_below(&(h)->w.chance, 6); \
            (rc) = (call);                                                                 \
            (h)->faults.fail_at = 0;                                                       \
            if ((rc) != LSCHED_E_NOMEM) break;                                             \
            (h)->refused++;                                                                \
            EV_CHECK(&(h)->w, image_of(h) == was_, "a failed call changed the state");     \
            EV_CHECK(&(h)->w, lsched_changes_end((h)->w.c) == end_, "it told of changes"); \
            then_ = counted((h)->w.c);                                                     \
            EV_CHECK(&(h)->w, counted_same(&count_, &then_), "it counted");                \
        }                                                                                  \
        lsched_init((err), sizeof *(err));                                                 \
        (rc) = (call);                                                                     \
    } while (0)

static void same_books(struct host *h, const char *event) {
    int32_t rc = books_read(&h->b, h->w.c);
    EV_CHECK(&h->w, rc >= 0, "%s: the feed is gone", event);
    EV_CHECK(&h->w, !h->b.wrong, "%s: %s", event, h->b.wrong);
    books_check(&h->b, h->w.c);
    lsched_counters n = counted(h->w.c);
    for (uint32_t i = 0; i < BOOK_KINDS; i++)
        EV_CHECK(&h->w, n.changes[i] == h->b.seen[i], "%s: %llu changes of kind %u counted", event,
                 (unsigned long long)n.changes[i], i);
    EV_CHECK(&h->w, !h->b.wrong, "%s: %s", event, h->b.wrong);
}

/* ---- events ---- */

static int32_t append(void *user, const void *data, size_t n) {
    struct bytes_saved {
        uint8_t *data;
        size_t n;
    } *s = user;
    s->data = realloc(s->data, s->n + n);
    assert_non_null(s->data);
    memcpy(s->data + s->n, data, n);
    s->n += n;
    return 0;
}

/* A copy that makes the same cycle tells the same; at first it tells nothing. */
static lsched_cluster *copy_of(struct host *h) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    struct {
        uint8_t *data;
        size_t n;
    } saved = {NULL, 0};
    if (chance_one_in(&h->w.chance, 2)) {
        ev_must(&h->w, lsched_cluster_clone(h->w.c, &copy, &err), &err);
    } else {
        ev_must(&h->w, lsched_cluster_save(h->w.c, append, &saved, &err), &err);
        ev_must(&h->w, lsched_cluster_load(NULL, saved.data, saved.n, &copy, &err), &err);
        free(saved.data);
    }
    lsched_change none = {.size = sizeof none};
    uint64_t begin = 0;
    EV_CHECK(&h->w, lsched_changes_next(copy, &begin, &none, NULL) == 0,
             "a copy begins with changes");
    return copy;
}

static uint64_t changes_hash(const lsched_cluster *c, uint64_t cursor) {
    struct books b = {.cursor = cursor};
    lsched_change change = {.size = sizeof change};
    while (lsched_changes_next(c, &b.cursor, &change, NULL) == 1) book_add(&b, &change);
    return b.hash;
}

static void event_cycle(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    int32_t rc;
    w->now_us += chance_one_in(&w->chance, 3) ? chance_between(&w->chance, 1, 300) * 1000000 : 1;
    opts.now_us = w->now_us;
    opts.moves_max = 8;
    if (chance_one_in(&w->chance, 3))
        opts.proposal_life_us = (int64_t)chance_between(&w->chance, 1, 400) * 1000000;
    opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT;
    if (!chance_one_in(&w->chance, 8)) opts.decision_kinds |= 1u << LSCHED_DECIDE_CHECKPOINT;
    if (!chance_one_in(&w->chance, 8)) opts.decision_kinds |= 1u << LSCHED_DECIDE_RESIZE;
    if (chance_one_in(&w->chance, 12)) opts.decision_kinds &= ~(1u << LSCHED_DECIDE_EVICT);
    h->b.now_us = w->now_us;
    lsched_cluster *copy = chance_one_in(&w->chance, 6) ? copy_of(h) : NULL;
    uint64_t from = lsched_changes_end(w->c);
    WITH_FAULTS(h, rc, &err, lsched_schedule(w->c, &opts, &plan, &err));
    ev_must(w, rc, &err);
    ev_tally(w, plan);
    if (copy) {
        lsched_plan *other = NULL;
        ev_must(w, lsched_schedule(copy, &opts, &other, &err), &err);
        EV_CHECK(w, changes_hash(copy, 0) == changes_hash(w->c, from), "a copy tells otherwise");
        lsched_plan_destroy(other);
        lsched_cluster_destroy(copy);
    }
    EV_CHECK(w, books_read(&h->b, w->c) >= 0, "the feed is gone");
    books_plan(&h->b, plan);
    books_check_growth(&h->b, w->c, plan);
    same_books(h, "cycle");
    lsched_plan_destroy(plan);
}

static void event_settle(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id ids[8];
    lsched_outcome how[8];
    uint32_t n = 0, most = 1 + chance_below(&w->chance, 8);
    int32_t rc;
    for (uint32_t i = 0; i < h->b.n_decisions && n < most; i++) {
        const struct book_decision *d = &h->b.decisions[i];
        if (!chance_one_in(&w->chance, 3)) continue;
        ids[n] = d->id;
        how[n] = chance_one_in(&w->chance, 6) ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
        if (d->state == LSCHED_DECISION_CONFIRMED) how[n] = LSCHED_OUTCOME_REJECTED;
        if (d->state == LSCHED_DECISION_CONFIRMED && !chance_one_in(&w->chance, 6)) continue;
        n++;
    }
    uint64_t end = lsched_changes_end(w->c);
    WITH_FAULTS(h, rc, &err, do_settle(h, ids, how, n, &err));
    EV_CHECK(w, rc >= 0 || rc == LSCHED_E_STATE, "%d %s", rc, err.message);
    /* one element rejects what takes a decision along that another one confirms */
    if (rc < 0) EV_CHECK(w, lsched_changes_end(w->c) == end, "a failed batch told of changes");
    for (uint32_t i = 0; rc >= 0 && i < n; i++) books_settled(&h->b, ids[i], how[i]);
    same_books(h, "settle");
}

/* The event that fits the task; now and then one that does not, so that its element fails. */
static uint32_t event_of(struct chance *c, const struct book_task *t) {
    if (chance_one_in(c, 12)) return LSCHED_EVENT_STARTED + chance_below(c, 3);
    if (t->leaving) return chance_one_in(c, 8) ? LSCHED_EVENT_ENDED : LSCHED_EVENT_FAILED;
    if (t->state == LSCHED_TASK_CONFIRMED || t->state == LSCHED_TASK_PROPOSED)
        return LSCHED_EVENT_STARTED;
    if (t->state == LSCHED_TASK_RUNNING && chance_one_in(c, 8))
        return chance_one_in(c, 3) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
    return 0;
}

/* Batches of reports of which any element can fail, because an earlier one took its task along. */
static void event_report(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    lsched_task_event e[8];
    int32_t status[8], rc;
    uint32_t n = 0, from = chance_below(&w->chance, h->b.n_tasks + 1);
    opts.flags = LSCHED_BATCH_PARTIAL;
    for (uint32_t i = from; i < h->b.n_tasks && n < 8; i++) {
        const struct book_task *t = &h->b.tasks[i];
        if (t->job == BOOK_JOBS || chance_one_in(&w->chance, 3)) continue;
        e[n] = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
        e[n].event = event_of(&w->chance, t);
        e[n].job = h->b.jobs[t->job].id;
        e[n].task_index = t->index;
        n += e[n].event != 0;
    }
    WITH_FAULTS(h, rc, &err, lsched_tasks_report(w->c, e, n, sizeof e[0], &opts, status, &err));
    ev_must(w, rc, &err);
    for (uint32_t i = 0; i < n; i++) {
        h->failed_elements += status[i] < 0;
        if (status[i] >= 0) books_reported(&h->b, e[i].job, e[i].task_index, e[i].event);
    }
    same_books(h, "report");
}

/* The host finds a task running on a node, with or without a decision about the task, whatever the
 * node still has free. Proposals of other tasks give way. */
static void event_import(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    int32_t rc;
    if (h->b.n_jobs == 0 || w->n_nodes == 0) return;
    m.job = h->b.jobs[chance_below(&w->chance, h->b.n_jobs)].id;
    m.task_index = chance_below(&w->chance, 3);
    m.node = w->node[chance_below(&w->chance, w->n_nodes)];
    m.start_us = w->now_us;
    if (m.job == 0 || book_task(&h->b, m.job, m.task_index)->leaving) return;
    WITH_FAULTS(h, rc, &err, lsched_tasks_import(w->c, &m, 1, sizeof m, NULL, NULL, &err));
    h->imported += rc >= 0;
    if (rc >= 0) books_imported(&h->b, &m);
    same_books(h, "import");
}

/* Other amounts for tasks. Of a task that runs and was not told to stop, each wish is taken. */
static void event_resize(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    lsched_task_resize z[6];
    lsched_amount request[6][BOOK_SIZES];
    int64_t wants[6][BOOK_SIZES];
    int32_t status[6], rc;
    uint32_t n = 0, from = chance_below(&w->chance, h->b.n_tasks + 1);
    opts.flags = LSCHED_BATCH_PARTIAL;
    if (chance_one_in(&w->chance, 2)) opts.flags |= LSCHED_BATCH_IDEMPOTENT;
    for (uint32_t i = from; i < h->b.n_tasks && n < 6; i++) {
        const struct book_task *t = &h->b.tasks[i];
        int runs = t->job != BOOK_JOBS && t->state == LSCHED_TASK_RUNNING;
        if (t->job == BOOK_JOBS || chance_one_in(&w->chance, runs ? 3 : 2)) continue;
        int64_t most_cpu = chance_one_in(&w->chance, 3) ? 640 : 12;
        wants[n][0] = chance_between(&w->chance, 0, most_cpu) * 1000;
        wants[n][1] = chance_between(&w->chance, 0, 10) << 37; /* a node: 8 */
        if (chance_one_in(&w->chance, 4))
            memcpy(wants[n], h->b.jobs[t->job].request, sizeof wants[n]);
        for (uint32_t k = 0; k < BOOK_SIZES; k++)
            request[n][k] = (lsched_amount){book_sizes[k], 0, wants[n][k]};
        z[n] = (lsched_task_resize)LSCHED_TASK_RESIZE_INIT;
        z[n].job = h->b.jobs[t->job].id;
        z[n].task_index = t->index;
        z[n].request = request[n];
        z[n].n_request = BOOK_SIZES;
        n++;
    }
    WITH_FAULTS(h, rc, &err, lsched_tasks_resize(w->c, z, n, sizeof z[0], &opts, status, &err));
    ev_must(w, rc, &err);
    for (uint32_t i = 0; i < n; i++) {
        const struct book_task *t = book_task(&h->b, z[i].job, z[i].task_index);
        int runs = t->state == LSCHED_TASK_RUNNING;
        int refused = status[i] == LSCHED_E_STATE || status[i] == LSCHED_E_NOENT;
        EV_CHECK(w, runs ? status[i] >= 0 : refused, "%d %s", status[i], err.message);
        if (runs) books_wished(&h->b, z[i].job, z[i].task_index, wants[i]);
        h->wished += (uint64_t)runs;
    }
    ev_must(w, lsched_verify(w->c, NULL, &err), &err);
    same_books(h, "resize");
}

static void event_node(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc;
    if (chance_one_in(&w->chance, 2) && w->n_nodes < EV_NODES) {
        ev_add_node(w);
    } else if (w->n_nodes > 1 && chance_one_in(&w->chance, 2)) {
        uint32_t i = chance_below(&w->chance, w->n_nodes);
        lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
        lsched_amount cpu = {LSCHED_CPU, 0, chance_between(&w->chance, 1, 20) * 1000};
        u.node = w->node[i];
        u.set = LSCHED_NODE_SET_CAPACITY | LSCHED_NODE_SET_STATE;
        u.capacity = &cpu;
        u.n_capacity = 1;
        u.state = chance_one_in(&w->chance, 4) ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
        if (chance_one_in(&w->chance, 2)) cpu.amount = 640000;
        WITH_FAULTS(h, rc, &err, lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err));
        ev_must(w, rc, &err);
    } else if (w->n_nodes > 1) {
        uint32_t i = chance_below(&w->chance, w->n_nodes);
        WITH_FAULTS(h, rc, &err, lsched_nodes_remove(w->c, &w->node[i], 1, NULL, NULL, &err));
        ev_must(w, rc, &err);
        w->node[i] = w->node[--w->n_nodes];
    }
    same_books(h, "node");
}

/* Completes a job. It must have a task that runs or is done. */
static void complete_job(struct host *h, lsched_id id) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    int has_worked = 0;
    int32_t rc;
    for (uint32_t t = 0; t < h->b.n_tasks; t++)
        has_worked |=
            h->b.tasks[t].job != BOOK_JOBS && h->b.jobs[h->b.tasks[t].job].id == id &&
            (h->b.tasks[t].state == LSCHED_TASK_RUNNING || h->b.tasks[t].state == LSCHED_TASK_DONE);
    WITH_FAULTS(h, rc, &err, lsched_jobs_complete(w->c, &id, 1, NULL, NULL, &err));
    EV_CHECK(w, rc == (has_worked ? 1 : LSCHED_E_STATE), "%d %s", rc, err.message);
    if (rc < 0) return;
    books_removed(&h->b, id);
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (w->job[i].id == id) w->job[i].live = 0;
    h->completed++;
}

/* Lets a job start again, whether or not it is held. */
static void start_again(struct host *h, struct book_job *j) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    int32_t rc;
    u.job = j->id;
    u.set = LSCHED_JOB_SET_AGAIN;
    WITH_FAULTS(h, rc, &err, lsched_jobs_update(w->c, &u, 1, sizeof u, NULL, NULL, &err));
    ev_must(w, rc, &err);
    h->unheld += j->held != 0;
    j->held = 0;
}

static void event_job(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    if (h->b.n_jobs == 0) return;
    struct book_job *j = &h->b.jobs[chance_below(&w->chance, h->b.n_jobs)];
    for (uint32_t i = 0; i < h->b.n_jobs; i++) /* few jobs are held by a rule */
        if (h->b.jobs[i].id && h->b.jobs[i].held && chance_one_in(&w->chance, 4)) j = &h->b.jobs[i];
    lsched_id id = j->id;
    int32_t rc, priority = (int32_t)chance_below(&w->chance, 3);
    if (id == 0) return;
    if (chance_one_in(&w->chance, 3)) {
        WITH_FAULTS(h, rc, &err, lsched_jobs_remove(w->c, &id, 1, NULL, NULL, &err));
        ev_must(w, rc, &err);
        books_removed(&h->b, id);
        for (uint32_t i = 0; i < w->n_jobs; i++)
            if (w->job[i].id == id) w->job[i].live = 0;
    } else if (chance_one_in(&w->chance, 4)) {
        complete_job(h, id);
    } else if (j->held || chance_one_in(&w->chance, 4)) {
        start_again(h, j);
    } else {
        WITH_FAULTS(h, rc, &err, job_priority_set(w->c, id, priority, &err));
        ev_must(w, rc, &err);
    }
    same_books(h, "job");
}

/* The host holds a job, for a while or without an end, or releases it. */
static void event_hold(struct host *h) {
    struct ev_world *w = &h->w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_hold hold = LSCHED_JOB_HOLD_INIT;
    int32_t rc;
    if (h->b.n_jobs == 0) return;
    struct book_job *j = &h->b.jobs[chance_below(&w->chance, h->b.n_jobs)];
    if (j->id == 0) return;
    if (j->hold_until && chance_one_in(&w->chance, 2)) {
        WITH_FAULTS(h, rc, &err, lsched_jobs_release(w->c, &j->id, 1, NULL, NULL, &err));
        ev_must(w, rc, &err);
        j->hold_until = 0;
        h->released++;
    } else {
        hold.job = j->id;
        hold.reason = lsched_cstr(chance_one_in(&w->chance, 2) ? "data" : "budget of the week");
        if (chance_one_in(&w->chance, 2))
            hold.until_us = w->now_us + chance_between(&w->chance, 1, 200) * 1000000;
        WITH_FAULTS(h, rc, &err, lsched_jobs_hold(w->c, &hold, 1, 0, NULL, NULL, &err));
        ev_must(w, rc, &err);
        j->hold_until = hold.until_us ? hold.until_us : LSCHED_NEVER_US;
        h->holds++;
    }
    ev_must(w, lsched_verify(w->c, NULL, &err), &err);
    same_books(h, "hold");
}

static void event_submit(struct host *h) {
    static const int64_t request[BOOK_SIZES] = {1000, 0}; /* of every task of the world */
    for (uint32_t n = 1 + chance_below(&h->w.chance, 6); n > 0; n--) {
        uint32_t before = h->w.n_jobs;
        char name[16];
        ev_random_job(&h->w);
        snprintf(name, sizeof name, "j%u", before);
        if (h->w.n_jobs > before) books_submitted(&h->b, h->w.job[before].id, name, request);
    }
    same_books(h, "submit");
}

static const struct {
    uint32_t weight;
    void (*run)(struct host *h);
} events[] = {{8, event_submit},  {20, event_cycle}, {14, event_settle},
              {12, event_report}, {4, event_node},   {3, event_job},
              {3, event_hold},    {3, event_import}, {5, event_resize}};

static void random_step(struct host *h) {
    uint32_t total = 0;
    size_t e = 0;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) total += events[i].weight;
    uint32_t drawn = chance_below(&h->w.chance, total);
    while (drawn >= events[e].weight) drawn -= events[e++].weight;
    events[e].run(h);
}

static void begin(struct host *h, uint64_t seed) {
    memset(h, 0, sizeof *h);
    h->hooks = fault_hooks(&h->faults);
    h->opts = (lsched_cluster_opts)LSCHED_CLUSTER_OPTS_INIT;
    h->opts.allocator = &h->hooks;
    struct chance c = {seed};
    struct ev_options o = {.limits = 1,
                           .waits = chance_one_in(&c, 3),
                           .firm = 1,
                           .scarce = 1,
                           .trees = chance_one_in(&c, 3),
                           .lend = chance_one_in(&c, 3),
                           .ends = 1,
                           .saves = 1,
                           .cluster = &h->opts};
    ev_begin(&h->w, seed, o);
    skip_check_on(h->w.c, 0); /* copies for the comparison would have to have memory */
    ev_policy(&h->w, "quota",
              "'allocate', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs', "
              "'evict-overdue'",
              "grace_seconds = 60");
}

static void play(struct host *h, uint64_t seed, uint32_t steps) {
    begin(h, seed);
    for (h->w.step = 0; h->w.step < steps; h->w.step++) random_step(h);
    ev_end(&h->w);
    EV_CHECK(&h->w, h->faults.live_blocks == 0 && h->faults.wrong_sizes == 0, "memory is left");
}

static void books_equal_the_cluster(void **state) {
    static struct host a, again;
    (void)state;
    uint64_t seed = chance_seed(1), seen[BOOK_KINDS] = {0}, refused = 0, failed = 0;
    uint64_t completed = 0, unheld = 0, holds = 0, released = 0, imported = 0, displaced = 0;
    uint64_t wished = 0, resized = 0;
    uint32_t rounds = chance_rounds(40);
    for (uint32_t r = 0; r < rounds; r++) {
        play(&a, seed + r, 120);
        for (uint32_t i = 0; i < BOOK_KINDS; i++) seen[i] += a.b.seen[i];
        refused += a.refused;
        failed += a.failed_elements;
        completed += a.completed;
        unheld += a.unheld;
        holds += a.holds;
        released += a.released;
        imported += a.imported;
        displaced += a.b.displaced;
        wished += a.wished;
        resized += a.b.resized;
        if (r % 8) continue;
        play(&again, seed + r, 120);
        EV_CHECK(&a.w, a.b.hash == again.b.hash && a.b.cursor == again.b.cursor,
                 "the same calls told otherwise");
    }
    for (uint32_t i = 1; i < BOOK_KINDS; i++)
        if (i <= LSCHED_CHANGE_RESIZE_ENDED) {
            print_message("%s %llu\n", lsched_change_name(i), (unsigned long long)seen[i]);
            assert_true(chance_enough(seen[i], 1, 40));
        }
    print_message("refused for want of memory %llu\n", (unsigned long long)refused);
    print_message("completed jobs %llu, holds ended %llu\n", (unsigned long long)completed,
                  (unsigned long long)unheld);
    assert_true(chance_enough(refused, 1, 40) && chance_enough(failed, 1, 40) &&
                chance_enough(completed, 1, 40) && chance_enough(unheld, 1, 40));
    assert_true(chance_enough(holds, 1, 40) && chance_enough(released, 1, 40));
    print_message("imported tasks %llu, proposals that they displaced %llu\n",
                  (unsigned long long)imported, (unsigned long long)displaced);
    assert_true(chance_enough(imported, 1, 40) && chance_enough(displaced, 1, 40));
    print_message("other amounts asked for %llu times, confirmed %llu times\n",
                  (unsigned long long)wished, (unsigned long long)resized);
    assert_true(chance_enough(wished, 1, 40) && chance_enough(resized, 1, 40));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(books_equal_the_cluster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
