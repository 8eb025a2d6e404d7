/* books_world.c -- see books.h: what the host describes and reports. */
#include "books/books.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choices ---- */

static uint64_t word(struct books *b) {
    struct book_source *s = &b->source;
    if (s->left > 0) {
        uint64_t w = 0;
        for (int i = 0; i < 2 && s->left > 0; i++, s->left--) w = w << 8 | *s->bytes++;
        return w;
    }
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t book_draw(struct books *b, uint32_t below) {
    return below ? (uint32_t)(word(b) % below) : 0;
}

int book_one_in(struct books *b, uint32_t n) {
    return book_draw(b, n) == 0;
}

/* The plan in hand, line by line: most findings are about it. */
static void print_plan(const struct books *b) {
    static const char *const kinds[] = {"none", "place", "nominate", "evict", "migrate"};
    for (size_t i = 0; b->plan && i < lsched_plan_size(b->plan); i++) {
        const lsched_decision *d = lsched_plan_at(b->plan, i);
        const char *job = lsched_name(b->c, d->job, NULL), *node = lsched_name(b->c, d->node, NULL),
                   *to = lsched_name(b->c, d->to_node, NULL),
                   *winner = lsched_name(b->c, d->for_job, NULL);
        fprintf(stderr, "  %s %s/%u on %s", d->kind < 5 ? kinds[d->kind] : "?", job ? job : "?",
                d->task_index, node ? node : "?");
        if (to) fprintf(stderr, " to %s", to);
        if (d->reason) fprintf(stderr, ", reason %u", d->reason);
        fprintf(stderr, "%s%s\n", winner ? " for " : "", winner ? winner : "");
    }
}

void book_finding(const struct books *b, const char *format, ...) {
    va_list args;
    fflush(stdout);
    print_plan(b);
    fprintf(stderr, "seed %llu, step %llu, %s: ", (unsigned long long)b->seed,
            (unsigned long long)b->step, b->doing);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

int book_ok(struct books *b, int64_t rc, const lsched_error *err, const char *what) {
    if (rc >= 0) return 1;
    if (rc != LSCHED_E_NOMEM || b->fail_per_mille == 0)
        book_finding(b, "%s: %s: %s", what, lsched_error_name((int32_t)rc), err->message);
    return 0;
}

/* ---- memory that fails at times ---- */

static int fails(struct book_memory *m) {
    m->calls++;
    if (m->fail_in == 0) return 0;
    return --m->fail_in == 0;
}

static void *take(void *user, size_t bytes) {
    return fails(user) ? NULL : malloc(bytes);
}

static void *retake(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    (void)old_bytes;
    return fails(user) ? NULL : realloc(old, new_bytes);
}

static void give(void *user, void *old, size_t bytes) {
    (void)user;
    (void)bytes;
    free(old);
}

/* ---- objects ---- */

struct book_job *book_job_of(struct books *b, lsched_id id) {
    if (id && b->job[b->job_hint].id == id) return &b->job[b->job_hint];
    for (uint32_t i = 0; i < BOOK_JOBS; i++)
        if (id && b->job[i].id == id) return &b->job[b->job_hint = i];
    return NULL;
}

struct book_node *book_node_of(struct books *b, lsched_id id) {
    for (uint32_t i = 0; i < BOOK_NODES; i++)
        if (id && b->node[i].id == id) return &b->node[i];
    return NULL;
}

static struct book_node *any_node(struct books *b) {
    struct book_node *n = &b->node[book_draw(b, BOOK_NODES)];
    return n->id ? n : NULL;
}

static struct book_queue *any_queue(struct books *b) {
    struct book_queue *q = &b->queue[book_draw(b, BOOK_QUEUES)];
    return q->id ? q : NULL;
}

static struct book_job *any_job(struct books *b) {
    struct book_job *j = &b->job[book_draw(b, BOOK_JOBS)];
    return j->id ? j : NULL;
}

uint64_t books_image(const struct books *b) {
    uint64_t h = 0;
    lsched_cluster_hash(b->c, LSCHED_HASH_IMAGE, &h, NULL);
    return h;
}

/* Between these two a call may fail for want of memory; then no byte has changed. */
static uint64_t call_begins(struct books *b, const char *doing) {
    b->doing = doing;
    b->counts.calls++;
    if (b->fail_per_mille && book_draw(b, 1000) < b->fail_per_mille)
        b->memory.fail_in = 1 + book_draw(b, 40);
    return books_image(b);
}

static void call_ends(struct books *b, int64_t rc, uint64_t before) {
    b->memory.fail_in = 0;
    if (rc >= 0) return;
    b->counts.refused++;
    b->counts.failed_allocations += rc == LSCHED_E_NOMEM;
    if (books_image(b) != before) book_finding(b, "a call that failed changed the state");
}

static int64_t extreme(struct books *b) {
    static const int64_t values[] = {
        0, 1, 1000000, 60000000, 86400000000, INT64_C(1) << 61, INT64_C(1) << 62, INT64_MAX, -1};
    return values[book_draw(b, sizeof values / sizeof *values)];
}

static void add_node(struct books *b) {
    struct book_node *n = &b->node[book_draw(b, BOOK_NODES)];
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    lsched_device_desc g = LSCHED_DEVICE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    if (n->id) return;
    memset(n, 0, sizeof *n);
    snprintf(n->name, sizeof n->name, "n%u", b->next_name++);
    n->cpu_milli = 1000 * (int64_t)(1 + book_draw(b, 32));
    n->memory_bytes = (int64_t)(1 + book_draw(b, 64)) << 30;
    n->devices = book_one_in(b, 4) ? 0 : 1 + book_draw(b, BOOK_DEVICES);
    n->mode = (uint32_t[]){LSCHED_SHARING_WHOLE, LSCHED_SHARING_FRACTION,
                           LSCHED_SHARING_MIG}[book_draw(b, 3)];
    n->device_memory = INT64_C(80) << 30;
    const lsched_amount have[] = {{LSCHED_CPU, 0, n->cpu_milli},
                                  {LSCHED_MEMORY, 0, n->memory_bytes}};
    g.count = n->devices;
    g.model = LSCHED_TEXT("H100-80GB");
    g.memory_bytes = n->device_memory;
    g.share_mode = n->mode;
    d.name = lsched_cstr(n->name);
    d.capacity = have;
    d.n_capacity = 2;
    d.devices = &g;
    d.n_devices = n->devices > 0;
    uint64_t before = call_begins(b, "nodes_add");
    int32_t rc = lsched_nodes_add(b->c, &d, 1, sizeof d, NULL, &n->id, NULL, &err);
    call_ends(b, rc, before);
    if (!book_ok(b, rc, &err, "nodes_add")) n->id = 0;
}

static void update_node(struct books *b) {
    struct book_node *n = any_node(b);
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    if (!n) return;
    u.node = n->id;
    u.set = book_one_in(b, 3) ? LSCHED_NODE_SET_CAPACITY : LSCHED_NODE_SET_STATE;
    u.state = (uint32_t[]){LSCHED_NODE_READY, LSCHED_NODE_READY, LSCHED_NODE_CORDONED,
                           LSCHED_NODE_DRAINING}[book_draw(b, 4)];
    const lsched_amount cpu = {LSCHED_CPU, 0, 1000 * (int64_t)(1 + book_draw(b, 32))};
    u.capacity = &cpu;
    u.n_capacity = 1;
    uint64_t before = call_begins(b, "nodes_update");
    int32_t rc = lsched_nodes_update(b->c, &u, 1, sizeof u, NULL, NULL, &err);
    call_ends(b, rc, before);
    if (!book_ok(b, rc, &err, "nodes_update")) return;
    if (u.set == LSCHED_NODE_SET_STATE) n->state = u.state;
    if (u.set == LSCHED_NODE_SET_CAPACITY) {
        n->excess |= cpu.amount < n->cpu_milli;
        n->cpu_milli = cpu.amount;
    }
}

static void remove_node(struct books *b) {
    struct book_node *n = any_node(b);
    lsched_error err = LSCHED_ERROR_INIT;
    if (!n) return;
    uint64_t before = call_begins(b, "nodes_remove");
    int32_t rc = lsched_nodes_remove(b->c, &n->id, 1, NULL, NULL, &err);
    call_ends(b, rc, before);
    if (!book_ok(b, rc, &err, "nodes_remove")) return;
    for (uint32_t i = 0; i < BOOK_JOBS; i++)
        for (uint32_t t = 0; t < BOOK_TASKS; t++) {
            struct book_task *own = &b->job[i].task[t];
            if (own->node == n->id) own->running = own->told_to_leave = 0;
        }
    n->id = 0;
}

static void draw_queue(struct books *b, struct book_queue *q) {
    for (uint32_t k = 0; k < 4; k++) {
        q->limit[k] = LSCHED_UNLIMITED;
        q->quota[k] = 0;
    }
    if (book_one_in(b, 3)) q->limit[LSCHED_GPU] = 1000 * (int64_t)book_draw(b, 20);
    if (book_one_in(b, 5)) q->limit[LSCHED_CPU] = 1000 * (int64_t)book_draw(b, 60);
    if (!book_one_in(b, 3)) q->quota[LSCHED_GPU] = 1000 * (int64_t)book_draw(b, 12);
    if (book_one_in(b, 4)) q->quota[LSCHED_CPU] = 1000 * (int64_t)book_draw(b, 40);
    q->jobs_max = book_one_in(b, 6) ? 1 + book_draw(b, 4) : 0;
    q->reclaim_min_us = book_one_in(b, 3) ? 60000000 : 0;
    q->preempt_min_us = book_one_in(b, 3) ? 60000000 : 0;
}

static void put_queue(const struct book_queue *q, lsched_queue_desc *d, lsched_amount *quota,
                      lsched_amount *limit) {
    for (uint32_t k = LSCHED_CPU; k <= LSCHED_GPU; k++) {
        quota[d->n_quota++] = (lsched_amount){k, 0, q->quota[k]};
        limit[d->n_limit++] = (lsched_amount){k, 0, q->limit[k]};
    }
    d->quota = quota;
    d->limit = limit;
    d->jobs_max = q->jobs_max;
    d->reclaim_min_runtime_us = q->reclaim_min_us;
    d->preempt_min_runtime_us = q->preempt_min_us;
}

static void add_queue(struct books *b) {
    uint32_t at = book_draw(b, BOOK_QUEUES), parent = book_draw(b, 2 * BOOK_QUEUES);
    struct book_queue *q = &b->queue[at];
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    lsched_amount quota[4], limit[4];
    lsched_error err = LSCHED_ERROR_INIT;
    if (q->id) return;
    memset(q, 0, sizeof *q);
    draw_queue(b, q);
    snprintf(q->name, sizeof q->name, "q%u", b->next_name++);
    q->parent = BOOK_QUEUES;
    if (parent < BOOK_QUEUES && b->queue[parent].id) q->parent = parent;
    d.name = lsched_cstr(q->name);
    if (q->parent < BOOK_QUEUES) d.parent = b->queue[q->parent].id;
    put_queue(q, &d, quota, limit);
    uint64_t before = call_begins(b, "queues_add");
    int32_t rc = lsched_queues_add(b->c, &d, 1, sizeof d, NULL, &q->id, NULL, &err);
    call_ends(b, rc, before);
    if (rc == LSCHED_E_BUSY || !book_ok(b, rc, &err, "queues_add")) /* below a queue with jobs */
        q->id = 0;
    else if (q->parent < BOOK_QUEUES)
        b->queue[q->parent].has_children = 1;
}

/* All fields that put_queue() fills. */
static lsched_queue_update update_of(lsched_id queue, const lsched_queue_desc *d) {
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    u.set = LSCHED_QUEUE_SET_QUOTA | LSCHED_QUEUE_SET_LIMIT | LSCHED_QUEUE_SET_PRIORITY |
            LSCHED_QUEUE_SET_JOBS_MAX | LSCHED_QUEUE_SET_SUBMITTED_MAX |
            LSCHED_QUEUE_SET_RECLAIM_MIN_RUNTIME | LSCHED_QUEUE_SET_PREEMPT_MIN_RUNTIME;
    u.queue = queue;
    u.quota = d->quota, u.n_quota = d->n_quota;
    u.limit = d->limit, u.n_limit = d->n_limit;
    u.priority = d->priority;
    u.jobs_max = d->jobs_max, u.submitted_max = d->submitted_max;
    u.reclaim_min_runtime_us = d->reclaim_min_runtime_us;
    u.preempt_min_runtime_us = d->preempt_min_runtime_us;
    return u;
}

static void update_queue(struct books *b) {
    struct book_queue *q = any_queue(b), drawn;
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    lsched_amount quota[4], limit[4];
    lsched_error err = LSCHED_ERROR_INIT;
    if (!q) return;
    drawn = *q;
    draw_queue(b, &drawn);
    put_queue(&drawn, &d, quota, limit);
    uint64_t before = call_begins(b, "queues_update");
    lsched_queue_update u = update_of(q->id, &d);
    int32_t rc = lsched_queues_update(b->c, &u, 1, sizeof u, NULL, NULL, &err);
    call_ends(b, rc, before);
    if (book_ok(b, rc, &err, "queues_update")) *q = drawn;
}

/* ---- jobs ---- */

static void draw_leaf(struct books *b, struct book_leaf *l, int gang) {
    static const char *const profiles[] = {"1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb"};
    l->count = gang ? 1 + book_draw(b, BOOK_TASKS / BOOK_LEAVES) : 1;
    l->min = book_one_in(b, 2) ? l->count : 1 + book_draw(b, l->count);
    l->cpu_milli = 1000 * (int64_t)book_draw(b, 8);
    l->memory_bytes = (int64_t)book_draw(b, 16) << 30;
    switch (book_draw(b, 4)) {
    case 0: l->devices = 1 + book_draw(b, BOOK_DEVICES); break;
    case 1: l->share_milli = 100 * (1 + book_draw(b, 9)); break;
    case 2: memcpy(l->mig, profiles[book_draw(b, 4)], 8); break;
    default: l->cpu_milli += 1000;
    }
}

static void put_leaf(const struct book_leaf *l, lsched_group_desc *g, lsched_amount *request,
                     lsched_device_request *claim) {
    g->max_count = l->count;
    g->min_count = l->min;
    request[g->n_request++] = (lsched_amount){LSCHED_CPU, 0, l->cpu_milli};
    request[g->n_request++] = (lsched_amount){LSCHED_MEMORY, 0, l->memory_bytes};
    if (l->devices)
        request[g->n_request++] = (lsched_amount){LSCHED_GPU, 0, 1000 * (int64_t)l->devices};
    if (l->share_milli)
        request[g->n_request++] = (lsched_amount){LSCHED_GPU, 0, (int64_t)l->share_milli};
    g->request = request;
    if (!l->mig[0]) return;
    lsched_init(claim, sizeof *claim);
    claim->mig_profile = lsched_cstr(l->mig);
    g->device_requests = claim;
    g->n_device_requests = 1;
}

static void draw_job(struct books *b, struct book_job *j) {
    int gang = book_one_in(b, 2);
    memset(j, 0, sizeof *j);
    snprintf(j->name, sizeof j->name, "j%u", b->next_name++);
    j->n_leaves = gang && book_one_in(b, 4) ? 2 : 1;
    j->priority = (int32_t)book_draw(b, 3);
    j->flags = book_one_in(b, 6) ? LSCHED_JOB_NON_PREEMPTIBLE : 0;
    if (book_one_in(b, 10)) j->flags |= LSCHED_JOB_NEVER_PREEMPTS;
    for (uint32_t l = 0, first = 0; l < j->n_leaves; l++) {
        draw_leaf(b, &j->leaf[l], gang);
        j->leaf[l].first = first;
        first += j->leaf[l].count;
    }
    j->simple = !gang;
}

static void submit_job(struct books *b) {
    struct book_job *j = &b->job[book_draw(b, BOOK_JOBS)];
    struct book_queue *q = any_queue(b);
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_group_desc g[BOOK_LEAVES + 1];
    lsched_amount request[BOOK_LEAVES][4];
    lsched_device_request claim[BOOK_LEAVES];
    lsched_error err = LSCHED_ERROR_INIT;
    if (j->id || !q || q->has_children) return;
    draw_job(b, j);
    j->queue = (uint32_t)(q - b->queue);
    for (uint32_t i = 0; i <= j->n_leaves; i++) lsched_init(&g[i], sizeof g[i]);
    uint32_t shift = j->n_leaves > 1; /* several leaves stand below a root */
    for (uint32_t l = 0; l < j->n_leaves; l++)
        put_leaf(&j->leaf[l], &g[l + shift], request[l], &claim[l]);
    d.name = lsched_cstr(j->name);
    d.queue = q->id;
    d.groups = g;
    d.n_groups = j->n_leaves + shift;
    d.priority = j->priority;
    d.flags = j->flags;
    d.submit_us = b->now_us;
    int odd = book_one_in(b, 12); /* times at the edges of what is allowed, and beyond */
    d.duration_us = odd ? extreme(b) : 60000000 * (int64_t)book_draw(b, 10);
    if (odd && book_one_in(b, 2)) d.preemption_delay_us = extreme(b);
    if (odd && book_one_in(b, 2)) d.backoff_us = extreme(b);
    if (odd && book_one_in(b, 2)) d.stale_grace_us = extreme(b);
    uint64_t before = call_begins(b, "jobs_submit");
    int32_t rc = lsched_jobs_submit(b->c, &d, 1, sizeof d, NULL, &j->id, NULL, &err);
    call_ends(b, rc, before);
    if (rc < 0) j->id = 0;
    if (!odd) book_ok(b, rc, &err, "jobs_submit");
    j->simple = j->simple && !odd;
}

static void remove_job(struct books *b) {
    struct book_job *j = any_job(b);
    lsched_error err = LSCHED_ERROR_INIT;
    if (!j) return;
    uint64_t before = call_begins(b, "jobs_remove");
    int32_t rc = lsched_jobs_remove(b->c, &j->id, 1, NULL, NULL, &err);
    call_ends(b, rc, before);
    if (book_ok(b, rc, &err, "jobs_remove")) j->id = 0;
}

static void set_priority(struct books *b) {
    struct book_job *j = any_job(b);
    lsched_error err = LSCHED_ERROR_INIT;
    if (!j) return;
    int32_t priority = (int32_t)book_draw(b, 3);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = j->id;
    u.set = LSCHED_JOB_SET_PRIORITY | LSCHED_JOB_SET_AGAIN;
    u.priority = priority;
    uint64_t before = call_begins(b, "jobs_update");
    int32_t rc = lsched_jobs_update(b->c, &u, 1, sizeof u, NULL, NULL, &err);
    call_ends(b, rc, before);
    if (book_ok(b, rc, &err, "jobs_update")) j->priority = priority;
}

/* ---- reports ---- */

/* Rows of one task: two while it leaves one node and has a claim or a place on another. */
static uint32_t rows_of(struct books *b, const struct book_job *j, uint32_t index) {
    lsched_task_info x = {.size = sizeof x};
    uint64_t cursor = 0;
    uint32_t n = 0;
    while (lsched_tasks_next(b->c, j->id, 0, &cursor, &x, NULL) == 1) n += x.task_index == index;
    return n;
}

/* A state that the host may report of the task: what must be accepted is, what must not is not. */
static void report_task(struct books *b, struct book_job *j, const lsched_task_info *t) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    struct book_task *own = &j->task[t->task_index];
    e.job = j->id;
    e.task_index = t->task_index;
    e.event = 1 + book_draw(b, 3);
    if ((t->state == LSCHED_TASK_PROPOSED || t->state == LSCHED_TASK_CONFIRMED) &&
        !book_one_in(b, 4))
        e.event = LSCHED_EVENT_STARTED;
    if (book_one_in(b, 3)) e.at_us = b->now_us + (int64_t)book_draw(b, 1000000);
    int held = t->state == LSCHED_TASK_RUNNING || t->state == LSCHED_TASK_RELEASING;
    int may = e.event == LSCHED_EVENT_STARTED
                  ? t->state == LSCHED_TASK_PROPOSED || t->state == LSCHED_TASK_CONFIRMED
                  : held || t->state == LSCHED_TASK_CONFIRMED;
    int alone = rows_of(b, j, e.task_index) == 1;
    uint64_t before = call_begins(b, "tasks_report");
    int32_t rc = lsched_tasks_report(b->c, &e, 1, sizeof e, NULL, NULL, &err);
    call_ends(b, rc, before);
    if (may && alone) book_ok(b, rc, &err, "tasks_report");
    if (!may && alone && rc >= 0)
        book_finding(b, "event %u of task %u of %s in state %u was taken", e.event, e.task_index,
                     j->name, t->state);
    if (rc < 0) return;
    if (e.at_us > b->now_us) b->now_us = e.at_us;
    own->running = e.event == LSCHED_EVENT_STARTED;
    if (!own->running) own->told_to_leave = 0;
    own->node = own->running ? t->node : 0;
    lsched_job_info info = {.size = sizeof info};
    if (lsched_job_get(b->c, j->id, &info, NULL) < 0) j->id = 0; /* its last task has ended */
}

static void report(struct books *b) {
    struct book_job *j = any_job(b);
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    uint32_t skip = book_draw(b, 3);
    if (!j) return;
    while (lsched_tasks_next(b->c, j->id, 0, &cursor, &t, NULL) == 1) {
        if (t.state == LSCHED_TASK_RUNNING && !book_one_in(b, 6)) continue; /* it runs on */
        if (skip-- > 0) continue;
        report_task(b, j, &t);
        return;
    }
}

static void import_task(struct books *b) {
    struct book_job *j = any_job(b);
    struct book_node *n = any_node(b);
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    if (!j || !n) return;
    m.job = j->id;
    m.node = n->id;
    m.task_index = book_draw(b, j->leaf[j->n_leaves - 1].first + j->leaf[j->n_leaves - 1].count);
    m.start_us = b->now_us - (int64_t)book_draw(b, 1000000);
    if (book_one_in(b, 2)) { /* where it runs, whoever else does */
        m.device_mask = 1u << book_draw(b, BOOK_DEVICES);
        m.device_starts = (uint64_t)book_draw(b, 8) << 4 * (uint32_t)__builtin_ctz(m.device_mask);
    }
    uint64_t before = call_begins(b, "tasks_import");
    int32_t rc = lsched_tasks_import(b->c, &m, 1, sizeof m, NULL, NULL, &err);
    call_ends(b, rc, before);
    if (rc < 0) return; /* its devices do not exist, it is placed already, or no memory */
    j->task[m.task_index].running = 1;
    j->task[m.task_index].told_to_leave = 0;
    j->task[m.task_index].node = n->id;
    n->excess = 1;
}

/* ---- copies ---- */

struct bytes {
    uint8_t *at;
    size_t n, cap;
};

static int32_t write_bytes(void *user, const void *bytes, size_t n) {
    struct bytes *x = user;
    if (x->n + n > x->cap) {
        x->cap = 2 * x->cap + n;
        x->at = realloc(x->at, x->cap);
    }
    if (!x->at) abort();
    memcpy(x->at + x->n, bytes, n);
    x->n += n;
    return 0;
}

static lsched_cluster_opts opts_of(struct books *b, lsched_allocator *a) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    *a = (lsched_allocator){sizeof *a, 0, &b->memory, take, retake, give};
    opts.allocator = a;
    opts.open_decisions_max = BOOK_OPEN;
    return opts;
}

/* The cluster is saved, ended and loaded, or a clone takes its place: nothing may change. */
static void go_on_as_copy(struct books *b) {
    lsched_allocator a;
    lsched_cluster_opts opts = opts_of(b, &a);
    lsched_cluster *copy = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    struct bytes saved = {NULL, 0, 0};
    uint64_t before = books_image(b);
    int32_t rc;
    b->doing = "save and load";
    b->counts.copies++;
    if (book_one_in(b, 2)) {
        b->doing = "clone";
        rc = lsched_cluster_clone(b->c, &copy, &err);
    } else {
        rc = lsched_cluster_save(b->c, write_bytes, &saved, &err);
        if (rc >= 0) rc = lsched_cluster_load(&opts, saved.at, saved.n, &copy, &err);
    }
    free(saved.at);
    if (!book_ok(b, rc, &err, b->doing)) return;
    lsched_cluster_destroy(b->c);
    b->c = copy;
    if (books_image(b) != before) book_finding(b, "the copy has another image");
}

/* Ready-made, and actions in other orders: what evicts before what places. */
static void load_policy(struct books *b) {
#define ORDER(share, pipeline)                                                 \
    "return { api = 1, name = 'order', fair_share = '" share "', pipeline = {" \
    " " pipeline " } }"
    static const struct {
        const char *name, *text;
        int guaranteed;
    } policies[] = {
        {"guaranteed-quota", NULL, 1},
        {"guaranteed-quota", NULL, 1},
        {"drf", NULL, 0},
        {"cohort", NULL, 0},
        {"fair-tree", NULL, 0},
        {"fifo", NULL, 0},
        {"best-fit", NULL, 0},
        {"order", ORDER("drf", "'reclaim', 'allocate'"), 0},
        {"order", ORDER("drf", "'preempt', 'drain', 'allocate', 'reclaim'"), 0},
        {"order", ORDER("quota", "'consolidate', 'reclaim', 'preempt', 'allocate'"), 1},
        {"order", ORDER("fifo", "'preempt', 'allocate', 'evict-stale-gangs'"), 0},
    };
#undef ORDER
    uint32_t i = book_draw(b, sizeof policies / sizeof *policies);
    const char *text = policies[i].text;
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t before = call_begins(b, "policy_load");
    int32_t rc = lsched_policy_load(b->c, lsched_cstr(policies[i].name),
                                    (lsched_text){text, text ? strlen(text) : 0}, NULL, &err);
    call_ends(b, rc, before);
    if (rc == LSCHED_E_NOLUA || !book_ok(b, rc, &err, "policy_load")) return;
    b->guaranteed = policies[i].guaranteed;
}

/* Calls that must be refused, with ids that were never given out and numbers out of range. */
static void misuse(struct books *b) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id id = (lsched_id)(1 + book_draw(b, 6)) << 60 |
                   (lsched_id)(book_one_in(b, 2) ? 0xfffffffu : 0) << 32 | book_draw(b, 64);
    lsched_outcome outcome = (lsched_outcome)book_draw(b, 4);
    lsched_settlement answer = {.size = sizeof answer, .outcome = outcome, .decision = id};
    int32_t rc = 0;
    uint64_t before = call_begins(b, "misuse");
    switch (book_draw(b, 5)) {
    case 0: rc = lsched_settle(b->c, &answer, 1, sizeof answer, NULL, NULL, NULL, &err); break;
    case 1: rc = lsched_nodes_remove(b->c, &id, 1, NULL, NULL, &err); break;
    case 2: rc = lsched_jobs_remove(b->c, &id, 1, NULL, NULL, &err); break;
    case 3: rc = lsched_queues_remove(b->c, &id, 1, NULL, NULL, &err); break;
    default: {
        lsched_schedule_opts late = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        late.now_us =
            book_one_in(b, 2) && b->cycle_us ? b->cycle_us - 1 - book_draw(b, 1000) : INT64_MAX;
        rc = lsched_schedule(b->c, &late, &plan, &err);
        if (rc >= 0)
            book_finding(b, "a cycle at %lld was run, the latest time is %lld",
                         (long long)late.now_us, (long long)b->now_us);
    }
    }
    call_ends(b, rc, before);
    if (rc >= 0) book_finding(b, "a call with id %llx was taken", (unsigned long long)id);
}

/* ---- the run ---- */

void books_open(struct books *b, uint64_t seed, const uint8_t *bytes, size_t n) {
    lsched_allocator a;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t fail_per_mille = b->fail_per_mille;
    memset(b, 0, sizeof *b);
    b->source = (struct book_source){bytes, n, seed};
    b->seed = seed;
    b->fail_per_mille = fail_per_mille;
    b->now_us = INT64_C(1700000000000000);
    b->doing = "create";
    lsched_cluster_opts opts = opts_of(b, &a);
    int32_t rc = lsched_cluster_create(&opts, &b->c, &err);
    if (rc < 0) book_finding(b, "create: %s", err.message);
    for (uint32_t i = book_draw(b, 3) * 6; i > 0; i--) {
        add_node(b);
        add_queue(b);
    }
    if (book_one_in(b, 2)) load_policy(b);
}

void books_step(struct books *b) {
    uint64_t calls = b->counts.calls + b->counts.copies;
    b->step++;
    switch (book_draw(b, 40)) {
    case 0:
    case 1: add_node(b); break;
    case 2: update_node(b); break;
    case 3:
        if (book_one_in(b, 4)) remove_node(b);
        break;
    case 4: add_queue(b); break;
    case 5: update_queue(b); break;
    case 6: remove_job(b); break;
    case 7: set_priority(b); break;
    case 8:
        if (book_one_in(b, 2)) import_task(b);
        break;
    case 9:
        if (book_one_in(b, 4)) go_on_as_copy(b);
        break;
    case 10:
        if (book_one_in(b, 10)) load_policy(b);
        break;
    case 11: misuse(b); break;
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18: submit_job(b); break;
    case 19:
    case 20:
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
    case 26: books_cycle(b); break;
    default: report(b);
    }
    if (b->counts.calls + b->counts.copies != calls) books_check_state(b);
}

void books_close(struct books *b) {
    lsched_cluster_destroy(b->c);
    b->c = NULL;
}
