/*
 * world.c -- a simulated world for the orchestrator, in which everything goes wrong now and then.
 *
 * usage: orchestrator [EVENTS [SEED [THREADS]]]
 *
 * Each thread has a world of its own, all with one seed, so all threads must get the same plans.
 */
#include "orchestrator.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

_Thread_local struct world w;

int below(int n) {
    w.random ^= w.random << 13, w.random ^= w.random >> 7, w.random ^= w.random << 17;
    return (int)(w.random % (uint64_t)n);
}

static int is_before(const struct event *a, const struct event *b) {
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void later(int64_t seconds, enum event_kind kind, int job, int task, uint64_t run) {
    struct event e = {w.now + seconds * SECOND, w.order++, run, kind, job, task};
    if (w.events == w.capacity) {
        w.capacity = w.capacity ? w.capacity * 2 : 1024;
        w.heap = realloc(w.heap, w.capacity * sizeof *w.heap);
        if (!w.heap) abort();
    }
    size_t i = w.events++;
    for (; i > 0 && is_before(&e, &w.heap[(i - 1) / 2]); i = (i - 1) / 2)
        w.heap[i] = w.heap[(i - 1) / 2];
    w.heap[i] = e;
}

static struct event next_event(void) {
    struct event top = w.heap[0], last = w.heap[--w.events];
    size_t i = 0, k;
    while ((k = 2 * i + 1) < w.events) {
        if (k + 1 < w.events && is_before(&w.heap[k + 1], &w.heap[k])) k++;
        if (!is_before(&w.heap[k], &last)) break;
        w.heap[i] = w.heap[k], i = k;
    }
    w.heap[i] = last;
    return top;
}

/* A nomination needs no answer; one of sixty other decisions cannot be carried out. */
lsched_outcome answer(const lsched_decision *d) {
    if (d->kind == LSCHED_DECIDE_NOMINATE) return 0;
    return below(60) ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
}

/* What the orchestrator does after its answer about one task was accepted. */
void answered(struct job *j, uint32_t task, lsched_outcome outcome) {
    struct task *t = &j->task[task];
    int number = (int)(j - w.jobs);
    if (outcome == LSCHED_OUTCOME_REJECTED) {
        w.rejected++, j->disturbed = 1;
        if (t->state == STARTS)
            leave(j, t, WAITS);
        else
            t->state = RUNS, t->decision = 0;
    } else if (t->state == STARTS) {
        later(1 + below(5), STARTED, number, (int)task, t->run);
    } else { /* one of twenty takes minutes to stop */
        later(below(20) ? 1 + below(40) : 60 + below(600), STOPPED, number, (int)task, t->decision);
    }
}

static const struct kind kinds[JOB_KINDS] = {
    [GANG] = {0, 0, 96000, 800, 8000, 0, -1, "topology: {preferred: rack}, ",
              "cpu: 96, memory: 800Gi, gpu: 8"},
    [ELASTIC] = {6, 2, 16000, 32, 2000, 0, -1, "", "cpu: 16, memory: 32Gi, gpu: 2"},
    [NOTEBOOK] = {1, 1, 8000, 32, 0, 2, 80, "interactive: true, preemptible: false, ",
                  "cpu: 8, memory: 32Gi, mig: 2g.20gb"},
    [FRACTION] = {1, 1, 8000, 32, 250, 0, -1, "", "cpu: 8, memory: 32Gi, gpu: 0.25"},
    [SERVICE] = {5, 1, 4000, 32, 0, 0, 100, "", "cpu: 4, memory: 32Gi"},
    [SLICED] = {0, 0, 8000, 32, 0, 4, -1, "", "cpu: 8, memory: 32Gi, mig: 3g.40gb"},
    [LED] = {5, 5, 8000, 32, 4000, 0, -1,
             "topology: {required: zone}, groups: [{cpu: 8, memory: 32Gi}, "
             "{count: 4, cpu: 8, memory: 32Gi, gpu: 4}]",
             NULL},
    [ARRAY] = {10, 0, 8000, 16, 0, 0, -1, "", "cpu: 8, memory: 16Gi"}};

static void submit(void) {
    struct job *j = w.jobs;
    while (j < w.jobs + JOBS && j->id) j++;
    if (j == w.jobs + JOBS) return; /* enough work waits */
    int kind = below(JOB_KINDS), size = 2 + below(4);
    const struct kind *k = &kinds[kind];
    *j = (struct job){.number = w.n_jobs, .kind = kind, .leaf = below(LEAVES)};
    j->tasks = k->tasks ? k->tasks : size, j->least = k->tasks ? k->least : size;
    j->devices = k->slices || (k->milli && k->milli < 1000) ? 1 : k->milli / 1000;
    j->slices = k->slices, j->cpu = k->cpu, j->memory = GIB(k->gib);
    j->run_us = (60 + below(1200)) * (int64_t)SECOND;
    submit_as(j, k);
}

static void task_event(const struct event *e) {
    struct job *j = &w.jobs[e->job];
    struct task *t = &j->task[e->task];
    int64_t seconds = j->run_us / SECOND;
    if (!j->id) return;
    if (e->kind == STARTED && t->state == STARTS && t->run == e->run) {
        if (report(j, e->task, LSCHED_EVENT_STARTED) < 0) return;
        t->state = RUNS, t->decision = 0;
        if (!w.closing && below(30) == 0)
            later(below((int)seconds), FAILED, e->job, e->task, t->run);
        if (j->kind != ELASTIC && j->kind != SERVICE)
            later(seconds, ENDED, e->job, e->task, t->run);
        else if (count(j, RUNS, RUNS) == j->least)
            later(seconds, COMPLETE, e->job, 0, j->id);
    } else if (e->kind == ENDED && (t->state == RUNS || t->state == STOPS) && t->run == e->run) {
        if (report(j, e->task, LSCHED_EVENT_ENDED) < 0) return;
        w.ended++, j->disturbed = 1;
        leave(j, t, DONE);
    } else if ((e->kind == FAILED && t->state == RUNS && t->run == e->run) ||
               (e->kind == STOPPED && t->state == STOPS && t->decision == e->run)) {
        if (report(j, e->task, LSCHED_EVENT_FAILED) < 0) return;
        w.failed += e->kind == FAILED, j->disturbed = 1;
        leave(j, t, WAITS);
    }
}

static void job_event(const struct event *e) {
    struct job *j = &w.jobs[e->job >= 0 ? e->job : below(JOBS)];
    if (e->kind == COMPLETE && j->id == e->run) {
        if (count(j, RUNS, RUNS) < j->least)
            later(60, COMPLETE, e->job, 0, j->id);
        else
            end_job(j, 1);
    } else if (e->kind == CANCEL) {
        if (j->id && (e->job < 0 || j->id == e->run)) end_job(j, 0);
        if (e->job < 0 && !w.closing) later(30 + below(120), CANCEL, -1, 0, 0);
    } else if (e->kind == PRIORITY) {
        j = &w.jobs[below(JOBS)];
        int priority = below(60);
        if (j->id && j->kind != NOTEBOOK) set_priority(j, priority);
        if (!w.closing) later(30 + below(100), PRIORITY, 0, 0, 0);
    }
}

static void handle(const struct event *e) {
    w.handled++;
    switch (e->kind) {
    case ARRIVE:
        if (w.closing) return;
        submit();
        later(1 + below(20), ARRIVE, 0, 0, 0);
        break;
    case SETTLE: settle(); break;
    case STARTED:
    case ENDED:
    case FAILED:
    case STOPPED: task_event(e); break;
    case COMPLETE:
    case CANCEL:
    case PRIORITY: job_event(e); break;
    case LOSS:
        if (w.closing) return;
        lose_node(below(NODES));
        later(200 + below(800), LOSS, 0, 0, 0);
        break;
    case BACK:
        if (!w.nodes[e->job].id) add_node(e->job);
        break;
    case DRAIN:
        if (w.closing) return;
        drain(below(NODES), 1);
        later(200 + below(800), DRAIN, 0, 0, 0);
        break;
    case UNDRAIN: drain(e->job, 0); break;
    case QUOTA:
        change_quota();
        if (!w.closing) later(300 + below(1000), QUOTA, 0, 0, 0);
        break;
    }
    read_changes();
}

static int jobs_left(void) {
    int n = 0;
    for (int i = 0; i < JOBS; i++) n += w.jobs[i].id != 0;
    return n;
}

/* Events, then a cycle; at most one cycle in CYCLE_SECONDS. Then no new work arrives, and all work
 * must end. */
static void run(int64_t events) {
    int64_t half = events / 2, last_cycle = 0, give_up = INT64_MAX;
    while ((!w.closing || jobs_left()) && w.now < give_up) {
        int64_t wake = lsched_next_wake(w.cluster), next = w.events ? w.heap[0].at : wake;
        if (wake < last_cycle + CYCLE_SECONDS * (int64_t)SECOND)
            wake = last_cycle + CYCLE_SECONDS * (int64_t)SECOND;
        if (wake < next) next = wake;
        if (next == LSCHED_NEVER_US) break;
        if (next > w.now) w.now = next;
        while (w.events && w.heap[0].at <= w.now) {
            struct event e = next_event();
            handle(&e);
        }
        if (w.now >= last_cycle + CYCLE_SECONDS * (int64_t)SECOND) {
            last_cycle = w.now, cycle();
            if (w.cycles % 100 == 0) compare();
            check_rules();
        }
        if (w.handled >= half) half = INT64_MAX, restart();
        if (!w.closing && w.handled >= events)
            w.closing = 1, give_up = w.now + 30 * 24 * 3600 * (int64_t)SECOND;
    }
}

/* What a thread does, and what comes of it. */
struct life {
    int64_t events, wrong;
    uint64_t seed, plans;
    int prints;
    pthread_t thread;
};

static void *live(void *user) {
    struct life *me = user;
    lsched_cluster_stats s = {.size = sizeof s};
    w.now = START_US, w.random = 88172645463325252u + me->seed * 7919;
    set_up();
    later(0, ARRIVE, 0, 0, 0), later(300, LOSS, 0, 0, 0), later(400, DRAIN, 0, 0, 0);
    later(500, CANCEL, -1, 0, 0), later(600, PRIORITY, 0, 0, 0), later(900, QUOTA, 0, 0, 0);
    run(me->events);
    check(lsched_cluster_stats_get(w.cluster, &s, &w.err), "stats");
    check(lsched_verify(w.cluster, NULL, &w.err), "verify");
    compare();
    if (jobs_left() || s.jobs)
        wrong("%d jobs are left, %d in the library", jobs_left(), (int)s.jobs);
    if (me->prints) print_totals();
    lsched_plan_destroy(w.plan);
    lsched_cluster_destroy(w.cluster);
    free(w.heap);
    me->wrong = w.wrong, me->plans = w.plans;
    return NULL;
}

int main(int argc, char **argv) {
    enum { THREADS_MAX = 16 };
    struct life lives[THREADS_MAX] = {{0}};
    int n = argc > 3 ? atoi(argv[3]) : 1, failed = n < 1 || n > THREADS_MAX;
    for (int i = 0; i < n && !failed; i++) {
        lives[i].events = argc > 1 ? strtoll(argv[1], NULL, 10) : 2000;
        lives[i].seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
        lives[i].prints = i == 0;
        if (pthread_create(&lives[i].thread, NULL, live, &lives[i]) != 0) return 2;
    }
    for (int i = 0; i < n && !failed; i++) pthread_join(lives[i].thread, NULL);
    for (int i = 0; i < n && !failed; i++)
        failed = lives[i].wrong != 0 || lives[i].plans != lives[0].plans;
    return failed;
}
