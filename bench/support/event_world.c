/* event_world.c -- see event_world.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "support/event_world.h"

#include <string.h>

#include "bench_support.h"
#include "engine/state/cluster.h"
#include "support/event_policies.h"
#include "support/event_resizes.h"

enum {
    GPUS = 8,
    BATCH = 1000,
    NAME_BYTES = 32,
    TRIES = 1000,
    REFRESH_US = 31000000,
    CHECKPOINT_US = 1000
};

struct id_list {
    lsched_id *ids;
    uint64_t n, cap;
};

/* One prepared call. */
struct event_call {
    enum event_kind kind;
    lsched_task_event report;
    lsched_id id;
    lsched_node_desc node;
    lsched_node_update update;
    lsched_job_update change;
    lsched_queue_desc queue;
    lsched_job_desc job;
    lsched_group_desc group;
    lsched_amount amounts[3];
    lsched_device_desc devices;
    lsched_device_request claim;
    lsched_text attribute;
    lsched_label label;
    lsched_dependency after;
    lsched_task_resize resize;
    char name[NAME_BYTES], queue_name[NAME_BYTES], user[NAME_BYTES];
};

struct event_world {
    lsched_cluster *c;
    struct event_size size;
    int64_t now_us;
    uint64_t random;
    uint32_t next_job, next_other;   /* numbers in the names of new objects */
    struct id_list running, pending; /* entries can be stale */
    struct id_list held;             /* the jobs that the event holds */
    struct id_list overdue;          /* the jobs that the event stops */
    struct id_list dependants;       /* the jobs that wait for the job of the event */
    struct id_list resized;          /* the jobs whose tasks the event resizes */
    lsched_id *nodes, *queues;
    lsched_id cordoned, absent, grown; /* what the latest event of the kind changed, or 0 */
    uint32_t relabelled;
    lsched_cluster *copy; /* the target of clones, NULL before the first */
    char *image;          /* a saved cluster */
    size_t image_bytes, image_cap;
    uint32_t n_calls;
    lsched_id made[EVENT_TIMES_MAX]; /* ids of the objects that the calls made */
    struct event_call calls[EVENT_TIMES_MAX];
};

static uint32_t below(struct event_world *w, uint64_t n) {
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % n);
}

static void *must(void *p) {
    if (p) return p;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static void list_push(struct id_list *list, lsched_id id) {
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 1024;
        list->ids = must(realloc(list->ids, list->cap * sizeof *list->ids));
    }
    list->ids[list->n++] = id;
}

static lsched_id list_take(struct id_list *list, uint64_t i) {
    lsched_id id = list->ids[i];
    list->ids[i] = list->ids[--list->n];
    return id;
}

/* ---- building ---- */

static void describe_job(struct event_call *e, uint32_t number, uint32_t queue, uint32_t shape) {
    snprintf(e->name, sizeof e->name, "job-%010u.user-0042", number);
    snprintf(e->queue_name, sizeof e->queue_name, "queue-%u", queue);
    e->amounts[0] = (lsched_amount){LSCHED_CPU, 0, 4000 + 125 * (int64_t)(shape % 32)};
    e->amounts[1] =
        (lsched_amount){LSCHED_MEMORY, 0, ((int64_t)32 << 30) + ((int64_t)(shape / 32) << 20)};
    e->amounts[2] = (lsched_amount){LSCHED_GPU, 0, 1000};
    lsched_init(&e->group, sizeof e->group);
    e->group.request = e->amounts;
    e->group.n_request = 3;
    lsched_init(&e->job, sizeof e->job);
    e->job.name = lsched_cstr(e->name);
    e->job.queue_name = lsched_cstr(e->queue_name);
    e->job.groups = &e->group;
    e->job.n_groups = 1;
    e->job.submit_us = number;
    e->job.duration_us = INT64_C(3600000000);
}

/* Returns the time that a job takes to stop; 0: that of the policy. */
static int64_t stop_time_of(const struct event_world *w, uint32_t number) {
    uint64_t running = (uint64_t)w->size.nodes * w->size.gpus;
    if (!w->size.stops || number >= running) return 0;
    return INT64_C(7200000000) * (number + 1) / (int64_t)running;
}

/* Submits n jobs; job i goes to queue i mod queues, with shape i / queues mod shapes. */
static void add_jobs(struct event_world *w, uint64_t n, uint32_t queues, uint32_t shapes,
                     struct id_list *to) {
    static lsched_job_desc jobs[BATCH];
    static lsched_id ids[BATCH];
    lsched_error err = LSCHED_ERROR_INIT;
    struct event_call *calls = must(calloc(BATCH, sizeof *calls));
    for (uint64_t first = 0; first < n; first += BATCH) {
        uint32_t m = n - first < BATCH ? (uint32_t)(n - first) : BATCH;
        for (uint32_t i = 0; i < m; i++) {
            uint64_t id = first + i;
            describe_job(&calls[i], w->next_job++, (uint32_t)(id % queues),
                         (uint32_t)(id / queues % shapes));
            jobs[i] = calls[i].job;
            jobs[i].release_us = stop_time_of(w, w->next_job - 1);
        }
        bench_check(lsched_jobs_submit(w->c, jobs, m, sizeof jobs[0], NULL, ids, NULL, &err), &err,
                    "jobs_submit");
        for (uint32_t i = 0; i < m; i++) list_push(to, ids[i]);
    }
    free(calls);
}

/* Eight of the jobs in `running` run on each node. */
static void import_running(struct event_world *w) {
    static lsched_task_import tasks[BATCH];
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint64_t first = 0; first < w->running.n; first += BATCH) {
        uint32_t m = w->running.n - first < BATCH ? (uint32_t)(w->running.n - first) : BATCH;
        for (uint32_t i = 0; i < m; i++) {
            tasks[i] = (lsched_task_import)LSCHED_TASK_IMPORT_INIT;
            tasks[i].job = w->running.ids[first + i];
            tasks[i].node = w->nodes[(first + i) / w->size.gpus];
            tasks[i].start_us = w->now_us - INT64_C(3600000000);
        }
        bench_check(lsched_tasks_import(w->c, tasks, m, sizeof tasks[0], NULL, NULL, &err), &err,
                    "tasks_import");
    }
}

/* Returns the quota of a queue in milli-GPUs: an equal part of the cluster. */
static int64_t quota_of(const struct event_world *w) {
    return (int64_t)w->size.nodes * w->size.gpus * 1000 / w->size.queues;
}

static void add_queues(struct event_world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount quota = {LSCHED_GPU, 0, quota_of(w)};
    for (uint32_t i = 0; i <= w->size.queues; i++) {
        char name[NAME_BYTES];
        int users = i == w->size.queues;
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        snprintf(name, sizeof name, users ? "people" : "queue-%u", i);
        q.name = lsched_cstr(name);
        q.quota = &quota;
        q.n_quota = !users;
        q.flags = users ? LSCHED_QUEUE_PER_USER : 0;
        bench_check(lsched_queues_add(w->c, &q, 1, sizeof q, NULL, &w->queues[i], NULL, &err), &err,
                    "queues_add");
    }
}

static void find_nodes(struct event_world *w) {
    uint64_t cursor = 0;
    for (uint32_t i = 0; i < w->size.nodes; i++)
        w->nodes[i] = lsched_next(w->c, LSCHED_KIND_NODE, &cursor);
}

/* Lets each node leave every day, each at a time of its own: half of them before a job that starts
 * now would end, and half of them later. */
static void let_nodes_leave(struct event_world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < w->size.nodes; i++) {
        const int64_t hours = i % 2 ? 10 : 0, second = INT64_C(1000000);
        lsched_node_update init = LSCHED_NODE_UPDATE_INIT, u = init;
        u.set = LSCHED_NODE_SET_ABSENCE;
        u.node = w->nodes[i];
        u.leaves_us = w->now_us + (hours * 3600 + 1800 + i) * second;
        u.back_us = u.leaves_us + 3600 * second;
        u.leaves_every_us = 86400 * second;
        bench_check(lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err), &err,
                    "nodes_update");
    }
}

static void carry_out(struct event_world *w, lsched_plan *plan);

/* Runs a cycle with all kinds of decisions that an event of the kind needs. */
static lsched_plan *event_world_cycle_of(struct event_world *w, enum event_kind kind) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = w->now_us;
    if (kind == EVENT_CHECKPOINT || kind == EVENT_EVICT_AFTER)
        opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_CHECKPOINT;
    if (kind == EVENT_RESIZE || w->size.resizes)
        opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_RESIZE;
    bench_check(lsched_schedule(w->c, &opts, &plan, &err), &err, "schedule");
    return plan;
}

static lsched_plan *event_world_cycle(struct event_world *w) {
    return event_world_cycle_of(w, EVENT_IDLE);
}

struct event_world *event_world_open(const struct event_size *size) {
    struct event_world *w = must(calloc(1, sizeof *w));
    lsched_error err = LSCHED_ERROR_INIT;
    const char *name = size->policy ? size->policy : "allocate",
               *text = event_policy_text(size, name);
    w->size = *size;
    w->random = size->seed;
    w->now_us = INT64_C(1700000000000000);
    w->nodes = must(calloc(size->nodes, sizeof *w->nodes));
    w->queues = must(calloc(size->queues + 1, sizeof *w->queues));
    bench_check(lsched_cluster_create(NULL, &w->c, &err), &err, "create");
    bench_check(lsched_policy_load(w->c, lsched_cstr(name),
                                   (lsched_text){text, text ? strlen(text) : 0}, NULL, &err),
                &err, "policy_load");
    if (w->size.gpus == 0) w->size.gpus = GPUS;
    bench_add_nodes_of(w->c, 0, size->nodes, w->size.gpus, 0);
    find_nodes(w);
    add_queues(w);
    add_jobs(w, (uint64_t)size->nodes * w->size.gpus, size->queues, size->shapes, &w->running);
    import_running(w);
    if (size->absent) let_nodes_leave(w);
    event_resizes_wait(w->c, w->running.ids, size->resizes);
    add_jobs(w, (uint64_t)size->waiting * size->shapes * size->jobs, size->waiting, size->shapes,
             &w->pending);
    /* the first cycles admit the jobs and find that nothing fits */
    for (int i = 0; i < 3; i++) {
        carry_out(w, event_world_cycle(w));
        w->now_us += 1000;
    }
    return w;
}

void event_world_close(struct event_world *w) {
    lsched_cluster_destroy(w->c);
    lsched_cluster_destroy(w->copy);
    free(w->image);
    free(w->running.ids);
    free(w->pending.ids);
    free(w->held.ids);
    free(w->overdue.ids);
    free(w->dependants.ids);
    free(w->resized.ids);
    free(w->nodes);
    free(w->queues);
    free(w);
}

lsched_cluster *event_world_cluster(struct event_world *w) {
    return w->c;
}

/* ---- carrying plans out ---- */

static void report(struct event_world *w, const lsched_decision *d, uint32_t event) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = d->job;
    e.task_index = d->task_index;
    bench_check(lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
}

/* Confirms all decisions, and frees the plan. Tasks that stop are gone before others start. */
static void carry_out(struct event_world *w, lsched_plan *plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    size_t n = lsched_plan_size(plan);
    for (size_t i = 0; i < n; i++) {
        const lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement answer = {.size = sizeof answer, .outcome = yes, .decision = d->id};
        if (lsched_decision_state(w->c, d->id, NULL) == LSCHED_DECISION_PROPOSED)
            bench_check(lsched_settle(w->c, &answer, 1, sizeof answer, NULL, NULL, NULL, &err),
                        &err, "settle");
    }
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE)
            report(w, d, LSCHED_EVENT_FAILED);
    }
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        report(w, d, LSCHED_EVENT_STARTED);
        list_push(&w->running, d->job);
    }
    lsched_plan_destroy(plan);
}

/* ---- preparing events ---- */

static int task_runs(const struct event_world *w, lsched_id job) {
    lsched_task_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    return lsched_tasks_next(w->c, job, 0, &cursor, &info, NULL) == 1 &&
           info.state == LSCHED_TASK_RUNNING;
}

static int job_waits(const struct event_world *w, lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    return lsched_job_get(w->c, job, &info, NULL) == LSCHED_OK && info.tasks_placed == 0;
}

static int task_keeps_amounts(const struct event_world *w, lsched_id job) {
    return task_runs(w, job) && event_resize_is_none(w->c, job);
}

/* Takes a random job out of the list that is as `is_good` wants it; 0 if there is none. */
static lsched_id draw(struct event_world *w, struct id_list *list,
                      int (*is_good)(const struct event_world *w, lsched_id job)) {
    for (int i = 0; i < TRIES && list->n; i++) {
        lsched_id id = list_take(list, below(w, list->n));
        if (is_good(w, id)) return id;
    }
    return 0;
}

static int prepare_task_ended(struct event_world *w, struct event_call *e) {
    e->report = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
    e->report.event = LSCHED_EVENT_ENDED;
    e->report.job = draw(w, &w->running, task_runs);
    return e->report.job != 0;
}

static int prepare_submit(struct event_world *w, struct event_call *e) {
    describe_job(e, w->next_job++, below(w, w->size.waiting), below(w, w->size.shapes));
    return 1;
}

/* A task can write a checkpoint, and has run for longer than the new time limit of its job. */
static int prepare_checkpoint(struct event_world *w, struct event_call *e) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_update init = LSCHED_JOB_UPDATE_INIT;
    e->change = init;
    e->change.set = LSCHED_JOB_SET_CHECKPOINT | LSCHED_JOB_SET_TIME_LIMIT;
    e->change.job = draw(w, &w->running, task_runs);
    e->change.checkpoint_us = CHECKPOINT_US;
    e->change.time_limit_us = 1;
    if (!e->change.job) return 0;
    list_push(&w->overdue, e->change.job);
    if (e->kind == EVENT_EVICT_AFTER)
        bench_check(lsched_jobs_update(w->c, &e->change, 1, sizeof e->change, NULL, NULL, &err),
                    &err, "jobs_update");
    return 1;
}

static int prepare_resize(struct event_world *w, struct event_call *e) {
    e->id = draw(w, &w->running, task_keeps_amounts);
    if (!e->id) return 0;
    list_push(&w->resized, e->id);
    event_resize_describe(w->c, e->id, &e->amounts[0], &e->resize);
    return 1;
}

/* A job of a shape that no index knows claims all devices of a node, which must have one model. */
static int prepare_claim(struct event_world *w, struct event_call *e) {
    describe_job(e, w->next_job++, below(w, w->size.waiting), 0);
    e->amounts[1].amount += w->next_other++; /* bytes of memory */
    lsched_init(&e->claim, sizeof e->claim);
    e->attribute = LSCHED_TEXT("model");
    e->claim.devices = w->size.gpus;
    e->claim.match = &e->attribute;
    e->claim.n_match = 1;
    e->group.n_request = 2;
    e->group.device_requests = &e->claim;
    e->group.n_device_requests = 1;
    return 1;
}

/* Describes a job that waits for the end of another one. */
static void describe_dependant(struct event_world *w, struct event_call *e, lsched_id ahead) {
    describe_job(e, w->next_job++, 0, 0);
    e->after = (lsched_dependency)LSCHED_DEPENDENCY_INIT;
    e->after.job = ahead;
    e->after.after = LSCHED_AFTER_END;
    e->job.dependencies = &e->after;
    e->job.n_dependencies = 1;
}

/* Lets jobs wait for one that runs. */
static int prepare_depend(struct event_world *w, struct event_call *e) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id ahead = draw(w, &w->running, task_runs), id;
    if (!ahead) return 0;
    for (uint32_t i = 0; i < (w->size.dependants ? w->size.dependants : 1); i++) {
        describe_dependant(w, e, ahead);
        bench_check(lsched_jobs_submit(w->c, &e->job, 1, sizeof e->job, NULL, &id, NULL, &err),
                    &err, "jobs_submit");
        list_push(&w->dependants, id);
    }
    if (e->kind == EVENT_DEPEND) {
        describe_dependant(w, e, ahead);
        list_push(&w->running, ahead);
        return 1;
    }
    e->report = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
    e->report.event = LSCHED_EVENT_ENDED;
    e->report.job = ahead;
    return 1;
}

static int prepare_new_user(struct event_world *w, struct event_call *e) {
    describe_job(e, w->next_job++, 0, below(w, w->size.shapes));
    snprintf(e->queue_name, sizeof e->queue_name, "people");
    snprintf(e->user, sizeof e->user, "user-%u", w->next_other++);
    e->job.user = lsched_cstr(e->user);
    return 1;
}

static int prepare_quota(struct event_world *w, struct event_call *e) {
    int shrinks = w->grown != 0;
    e->id = shrinks ? w->grown : w->queues[below(w, w->size.queues)];
    w->grown = shrinks ? 0 : e->id;
    e->amounts[0] = (lsched_amount){LSCHED_GPU, 0, quota_of(w) + (shrinks ? 0 : 1000)};
    lsched_init(&e->queue, sizeof e->queue);
    e->queue.quota = e->amounts;
    e->queue.n_quota = 1;
    return 1;
}

static int prepare_label(struct event_world *w, struct event_call *e) {
    snprintf(e->name, sizeof e->name, "pool-%u", w->relabelled++ % 2);
    e->label = (lsched_label){LSCHED_TEXT("pool"), lsched_cstr(e->name)};
    lsched_node_update init = LSCHED_NODE_UPDATE_INIT;
    e->update = init;
    e->update.node = w->nodes[below(w, w->size.nodes)];
    e->update.set = LSCHED_NODE_SET_LABELS;
    e->update.labels = &e->label;
    e->update.n_labels = 1;
    return 1;
}

static int prepare_flap(struct event_world *w, struct event_call *e) {
    lsched_node_update init = LSCHED_NODE_UPDATE_INIT;
    e->update = init;
    e->update.set = LSCHED_NODE_SET_STATE;
    e->update.state = w->cordoned ? LSCHED_NODE_READY : LSCHED_NODE_CORDONED;
    e->update.node = w->cordoned ? w->cordoned : w->nodes[below(w, w->size.nodes)];
    w->cordoned = w->cordoned ? 0 : e->update.node;
    return 1;
}

static int prepare_absence(struct event_world *w, struct event_call *e) {
    lsched_node_update init = LSCHED_NODE_UPDATE_INIT;
    e->update = init;
    e->update.set = LSCHED_NODE_SET_ABSENCE;
    e->update.leaves_us = w->absent ? 0 : w->now_us + INT64_C(86400000000);
    e->update.node = w->absent ? w->absent : w->nodes[below(w, w->size.nodes)];
    w->absent = w->absent ? 0 : e->update.node;
    return 1;
}

/* A node is away; it is back in the measured cycle. */
static int prepare_absence_ended(struct event_world *w, struct event_call *e) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update init = LSCHED_NODE_UPDATE_INIT;
    e->update = init;
    e->update.set = LSCHED_NODE_SET_ABSENCE;
    e->update.node = w->nodes[below(w, w->size.nodes)];
    e->update.leaves_us = w->now_us - 1000;
    e->update.back_us = w->now_us + 500;
    e->update.leaves_every_us = w->size.absent ? INT64_C(86400000000) : 0;
    bench_check(lsched_nodes_update(w->c, &e->update, 1, sizeof e->update, NULL, NULL, &err), &err,
                "nodes_update");
    return 1;
}

static int prepare_node_added(struct event_world *w, struct event_call *e) {
    snprintf(e->name, sizeof e->name, "node-%010u.cluster-b", w->next_other++);
    e->amounts[0] = (lsched_amount){LSCHED_CPU, 0, 12000 * (int64_t)w->size.gpus};
    e->amounts[1] = (lsched_amount){LSCHED_MEMORY, 0, (int64_t)w->size.gpus << 37};
    e->devices = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    e->devices.count = w->size.gpus;
    e->devices.model = LSCHED_TEXT("H100-80GB");
    e->devices.memory_bytes = (int64_t)80 << 30;
    lsched_init(&e->node, sizeof e->node);
    e->node.name = lsched_cstr(e->name);
    e->node.capacity = e->amounts;
    e->node.n_capacity = 2;
    e->node.devices = &e->devices;
    e->node.n_devices = 1;
    return 1;
}

static int prepare_queue_added(struct event_world *w, struct event_call *e) {
    snprintf(e->name, sizeof e->name, "late-%u", w->next_other++);
    lsched_init(&e->queue, sizeof e->queue);
    e->queue.name = lsched_cstr(e->name);
    return 1;
}

/* Holds a waiting job before the event is measured, for ever or until the measured cycle. */
static int prepare_held(struct event_world *w, struct event_call *e) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_hold hold = LSCHED_JOB_HOLD_INIT;
    hold.job = e->id = draw(w, &w->pending, job_waits);
    hold.until_us = e->kind == EVENT_HOLD_ENDED ? w->now_us + 1000 : LSCHED_NEVER_US;
    if (!e->id) return 0;
    list_push(&w->held, e->id);
    bench_check(lsched_jobs_hold(w->c, &hold, 1, sizeof hold, NULL, NULL, &err), &err, "jobs_hold");
    return 1;
}

/* Draws a job to hold; the job is back in the list of waiting jobs after the event. */
static int prepare_hold(struct event_world *w, struct event_call *e) {
    e->id = draw(w, &w->pending, job_waits);
    if (e->id) list_push(&w->held, e->id);
    return e->id != 0;
}

/* Makes room for the proposal that will expire. */
static int prepare_expired(struct event_world *w, struct event_call *e) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (!prepare_task_ended(w, e)) return 0;
    bench_check(lsched_tasks_report(w->c, &e->report, 1, sizeof e->report, NULL, NULL, &err), &err,
                "report");
    return 1;
}

/* Runs the cycle that comes before the measured one: it sees the holds, or makes the proposals. */
static void stage(struct event_world *w, enum event_kind kind) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    if (kind == EVENT_EVICT_AFTER) {
        lsched_plan_destroy(event_world_cycle_of(w, kind));
        return;
    }
    opts.now_us = w->now_us;
    if (kind == EVENT_EXPIRED) opts.proposal_life_us = 1000;
    bench_check(lsched_schedule(w->c, &opts, &plan, &err), &err, "schedule");
    if (kind == EVENT_EXPIRED) {
        lsched_plan_destroy(plan);
    } else {
        carry_out(w, plan);
    }
}

static int prepare_query(struct event_world *w, struct event_call *e) {
    snprintf(e->name, sizeof e->name, "node-%010u.cluster-a", below(w, w->size.nodes));
    e->id = draw(w, &w->pending, job_waits);
    if (e->id) list_push(&w->pending, e->id);
    return e->id != 0;
}

static int prepare(struct event_world *w, struct event_call *e) {
    if (e->kind >= EVENT_FIND) return prepare_query(w, e);
    switch (e->kind) {
    case EVENT_TASK_ENDED: return prepare_task_ended(w, e);
    case EVENT_SUBMIT: return prepare_submit(w, e);
    case EVENT_CANCEL: return (e->id = draw(w, &w->pending, job_waits)) != 0;
    case EVENT_QUOTA: return prepare_quota(w, e);
    case EVENT_LABEL: return prepare_label(w, e);
    case EVENT_FLAP: return prepare_flap(w, e);
    case EVENT_CLAIM: return prepare_claim(w, e);
    case EVENT_DEPEND:
    case EVENT_AHEAD_ENDED: return prepare_depend(w, e);
    case EVENT_CHECKPOINT:
    case EVENT_EVICT_AFTER: return prepare_checkpoint(w, e);
    case EVENT_RESIZE: return prepare_resize(w, e);
    case EVENT_ABSENCE: return prepare_absence(w, e);
    case EVENT_ABSENCE_ENDED: return prepare_absence_ended(w, e);
    case EVENT_NEW_USER: return prepare_new_user(w, e);
    case EVENT_NODE_ADDED: return prepare_node_added(w, e);
    case EVENT_QUEUE_ADDED: return prepare_queue_added(w, e);
    case EVENT_HOLD: return prepare_hold(w, e);
    case EVENT_RELEASE:
    case EVENT_HOLD_ENDED: return prepare_held(w, e);
    case EVENT_EXPIRED: return prepare_expired(w, e);
    default: return 1;
    }
}

/* ---- events ---- */

static int32_t keep_bytes(void *user, const void *bytes, size_t n) {
    struct event_world *w = user;
    if (w->image_bytes + n > w->image_cap) {
        w->image_cap = 2 * (w->image_bytes + n);
        w->image = must(realloc(w->image, w->image_cap));
    }
    memcpy(w->image + w->image_bytes, bytes, n);
    w->image_bytes += n;
    return 0;
}

static int32_t reload(struct event_world *w, lsched_error *err) {
    lsched_cluster *loaded = NULL;
    w->image_bytes = 0;
    int32_t rc = lsched_cluster_save(w->c, keep_bytes, w, err);
    if (rc >= 0) rc = lsched_cluster_load(NULL, w->image, w->image_bytes, &loaded, err);
    lsched_cluster_destroy(loaded);
    return rc;
}

static int32_t make_query(struct event_world *w, const struct event_call *e, lsched_error *err) {
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_job_info job = {.size = sizeof job};
    uint64_t hash;
    switch (e->kind) {
    case EVENT_FIND:
        return lsched_find(w->c, LSCHED_KIND_NODE, lsched_cstr(e->name)) ? LSCHED_OK
                                                                         : LSCHED_E_NOENT;
    case EVENT_JOB_GET: return lsched_job_get(w->c, e->id, &job, NULL);
    case EVENT_NEXT_WAKE: return lsched_next_wake(w->c) >= 0 ? LSCHED_OK : LSCHED_E_TIME;
    case EVENT_STATS: return lsched_cluster_stats_get(w->c, &stats, NULL);
    case EVENT_EXPLAIN:
        return lsched_explain(w->c, e->id, NULL, 0, NULL, err) < 0 ? err->code : LSCHED_OK;
    case EVENT_HASH: return lsched_cluster_hash(w->c, LSCHED_HASH_IMAGE, &hash, NULL);
    case EVENT_CLONE: return lsched_cluster_clone(w->c, &w->copy, err);
    case EVENT_RELOAD: return reload(w, err);
    case EVENT_VERIFY: return lsched_verify(w->c, NULL, err);
    default: return LSCHED_OK;
    }
}

static int32_t make_call(struct event_world *w, const struct event_call *e, lsched_id *made,
                         lsched_error *err) {
    lsched_cluster *c = w->c;
    lsched_queue_update quota = {.size = sizeof quota,
                                 .set = LSCHED_QUEUE_SET_QUOTA,
                                 .queue = e->id,
                                 .quota = e->queue.quota,
                                 .n_quota = e->queue.n_quota};
    lsched_job_hold hold = {.size = sizeof hold, .job = e->id, .until_us = LSCHED_NEVER_US};
    switch (e->kind) {
    case EVENT_TASK_ENDED:
    case EVENT_AHEAD_ENDED:
        return lsched_tasks_report(c, &e->report, 1, sizeof e->report, NULL, NULL, err);
    case EVENT_SUBMIT:
    case EVENT_DEPEND:
    case EVENT_CLAIM:
    case EVENT_NEW_USER:
        return lsched_jobs_submit(c, &e->job, 1, sizeof e->job, NULL, made, NULL, err);
    case EVENT_CANCEL: return lsched_jobs_remove(c, &e->id, 1, NULL, NULL, err);
    case EVENT_QUOTA: return lsched_queues_update(c, &quota, 1, sizeof quota, NULL, NULL, err);
    case EVENT_LABEL:
    case EVENT_FLAP:
    case EVENT_ABSENCE:
        return lsched_nodes_update(c, &e->update, 1, sizeof e->update, NULL, NULL, err);
    case EVENT_NODE_ADDED:
        return lsched_nodes_add(c, &e->node, 1, sizeof e->node, NULL, made, NULL, err);
    case EVENT_QUEUE_ADDED:
        return lsched_queues_add(c, &e->queue, 1, sizeof e->queue, NULL, made, NULL, err);
    case EVENT_CHECKPOINT:
        return lsched_jobs_update(c, &e->change, 1, sizeof e->change, NULL, NULL, err);
    case EVENT_RESIZE:
        return lsched_tasks_resize(c, &e->resize, 1, sizeof e->resize, NULL, NULL, err);
    case EVENT_HOLD: return lsched_jobs_hold(c, &hold, 1, sizeof hold, NULL, NULL, err);
    case EVENT_RELEASE: return lsched_jobs_release(c, &e->id, 1, NULL, NULL, err);
    default: return make_query(w, e, err);
    }
}

__attribute__((noinline)) lsched_plan *event_world_measured(struct event_world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < w->n_calls; i++)
        bench_check(make_call(w, &w->calls[i], &w->made[i], &err), &err,
                    event_world_name(w->calls[i].kind));
    int is_query = w->n_calls > 0 && w->calls[0].kind >= EVENT_FIND;
    enum event_kind kind = w->n_calls > 0 ? w->calls[0].kind : EVENT_IDLE;
    return is_query ? NULL : event_world_cycle_of(w, kind);
}

/* The tasks that are past their limit stop, and others get their room. */
static void end_overdue(struct event_world *w, enum event_kind kind) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (kind == EVENT_CHECKPOINT) carry_out(w, event_world_cycle_of(w, kind));
    bench_check(lsched_jobs_remove(w->c, w->overdue.ids, w->overdue.n, NULL, NULL, &err), &err,
                "jobs_remove");
    w->overdue.n = 0;
    w->now_us += 1000;
    carry_out(w, event_world_cycle(w));
}

/* The resized tasks get the amounts of their jobs back. The first cycle gives them back, and the
 * second one sees the room. */
static void end_resizes(struct event_world *w) {
    while (w->resized.n > 0) {
        lsched_id job = list_take(&w->resized, w->resized.n - 1);
        event_resize_undo(w->c, job);
        list_push(&w->running, job);
    }
    for (int i = 0; i < 2; i++) {
        w->now_us += 1000;
        carry_out(w, event_world_cycle_of(w, EVENT_RESIZE));
    }
}

static void remove_waiting(struct event_world *w, lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (job_waits(w, job))
        bench_check(lsched_jobs_remove(w->c, &job, 1, NULL, NULL, &err), &err, "jobs_remove");
}

/* Removes what events added, and what would otherwise become more and more. */
static void clean_up(struct event_world *w, enum event_kind kind) {
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_id *ids = w->made;
    uint32_t n = w->n_calls;
    if (kind == EVENT_SUBMIT)
        for (uint32_t i = 0; i < n; i++) list_push(&w->pending, ids[i]);
    if (kind == EVENT_NODE_ADDED)
        bench_check(lsched_nodes_remove(w->c, ids, n, NULL, NULL, &err), &err, "nodes_remove");
    if (kind == EVENT_QUEUE_ADDED)
        bench_check(lsched_queues_remove(w->c, ids, n, NULL, NULL, &err), &err, "queues_remove");
    if (kind == EVENT_NEW_USER || kind == EVENT_CLAIM || kind == EVENT_DEPEND)
        for (uint32_t i = 0; i < n; i++) remove_waiting(w, ids[i]);
    while (w->dependants.n > 0) remove_waiting(w, list_take(&w->dependants, w->dependants.n - 1));
    if (kind == EVENT_HOLD)
        bench_check(lsched_jobs_release(w->c, w->held.ids, w->held.n, NULL, NULL, &err), &err,
                    "jobs_release");
    if (kind == EVENT_CHECKPOINT || kind == EVENT_EVICT_AFTER) end_overdue(w, kind);
    if (kind == EVENT_RESIZE) end_resizes(w);
    while (w->held.n > 0) list_push(&w->pending, list_take(&w->held, w->held.n - 1));
    if (kind != EVENT_NODE_ADDED && kind != EVENT_QUEUE_ADDED && kind != EVENT_HOLD) return;
    w->now_us += 1000;
    carry_out(w, event_world_cycle(w));
}

enum event_kind event_world_draw(struct event_world *w) {
    static const uint32_t percent[EVENT_KINDS] = {
#define X(name, word, percent) percent,
        EVENT_WORLD_KINDS(X)
#undef X
    };
    uint32_t at = below(w, 100), kind = 0;
    while (at >= percent[kind]) at -= percent[kind++];
    return (enum event_kind)kind;
}

const char *event_world_name(enum event_kind kind) {
    static const char *const names[EVENT_KINDS] = {
#define X(name, word, percent) #word,
        EVENT_WORLD_KINDS(X)
#undef X
    };
    return kind < EVENT_KINDS ? names[kind] : "";
}

int event_world_run(struct event_world *w, enum event_kind kind, uint32_t times,
                    struct event_cost *cost) {
    for (w->n_calls = 0; w->n_calls < times && w->n_calls < EVENT_TIMES_MAX; w->n_calls++) {
        w->calls[w->n_calls].kind = kind;
        if (!prepare(w, &w->calls[w->n_calls])) break;
    }
    if (kind == EVENT_RELEASE || kind == EVENT_HOLD_ENDED || kind == EVENT_EXPIRED ||
        kind == EVENT_EVICT_AFTER || kind == EVENT_DEPEND || kind == EVENT_AHEAD_ENDED ||
        kind == EVENT_ABSENCE_ENDED)
        stage(w, kind);
    w->now_us += kind == EVENT_REFRESH ? REFRESH_US : 1000;
    uint64_t before = *w->c->k.steps;
    double begin = bench_seconds();
    lsched_plan *plan = event_world_measured(w);
    cost->seconds = bench_seconds() - begin;
    cost->steps = *w->c->k.steps - before;
    if (plan) carry_out(w, plan);
    clean_up(w, kind);
    return w->n_calls == times;
}
