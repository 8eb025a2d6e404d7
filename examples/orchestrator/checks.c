/*
 * checks.c -- checks the library by the orchestrator's books: which task holds which devices,
 * slices, processors and memory of which node. Nothing may be given twice, gangs start whole, a
 * limit holds, and now and then the books must equal what the library says about its jobs and tasks.
 */
#include "orchestrator.h"

#include <stdarg.h>
#include <stdio.h>

void wrong(const char *format, ...) {
    va_list args;
    if (w.wrong++ >= 20) return;
    va_start(args, format);
    fprintf(stderr, "wrong at %.1f s: ", (double)(w.now - START_US) / SECOND);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* Books what a task holds (sign 1), or gives it back (sign -1). */
void book(const struct job *j, const struct task *t, int sign) {
    struct node *n = &w.nodes[t->node];
    n->cpu_used += sign * j->cpu, n->memory_used += sign * j->memory;
    if (n->cpu_used > n->cpu || n->memory_used > n->memory) wrong("node %d is too full", t->node);
    for (int d = 0; d < DEVICES; d++) {
        if (!(t->mask >> d & 1)) continue;
        uint32_t bits = ((1u << j->slices) - 1) << (t->starts >> (4 * d) & 15);
        if (sign > 0 && (n->slices[d] & bits)) wrong("slices of node %d are given twice", t->node);
        n->slices[d] = sign > 0 ? n->slices[d] | bits : n->slices[d] & ~bits;
        if (!j->slices) n->milli[d] += (uint32_t)sign * t->milli;
        if (n->milli[d] > 1000) wrong("device %d of node %d is given twice", d, t->node);
    }
}

/* A place is for a task that waits, on a node that takes tasks, with as many devices as it wants. */
void check_place(const struct job *j, const lsched_decision *d) {
    const struct node *n = &w.nodes[d->node_tag];
    int wanted = j->kind == LED && d->task_index == 0 ? 0 : j->devices;
    if (j->task[d->task_index].state != WAITS)
        wrong("job-%d: task %u does not wait", j->number, d->task_index);
    if (n->id != d->node || n->drains) wrong("node %d cannot be used", (int)d->node_tag);
    if (__builtin_popcount(d->device_mask) != wanted)
        wrong("job-%d: not %d devices", j->number, wanted);
}

void check_runs(const struct job *j, uint32_t task) {
    if (j->task[task].state != RUNS) wrong("job-%d: task %u does not run", j->number, task);
}

void check_node_is_empty(int i) {
    if (w.nodes[i].cpu_used || w.nodes[i].memory_used)
        wrong("the books of node %d do not close", i);
}

/* A gang that nothing has disturbed has all its members or none, and a limit holds. */
void check_rules(void) {
    int64_t used = 0;
    for (int i = 0; i < JOBS; i++) {
        const struct job *j = &w.jobs[i];
        if (!j->id) continue;
        int placed = count(j, STARTS, DONE);
        if (placed && placed < j->least && !j->disturbed)
            wrong("job-%d: %d of at least %d tasks start", j->number, placed, j->least);
        for (int k = 0; j->leaf / 2 == LIMITED_TEAM && k < j->tasks; k++) {
            const struct task *t = &j->task[k]; /* what is to stop counts no more */
            if (t->state == STARTS || t->state == RUNS)
                used += j->slices ? (t->mask != 0) * j->slices * 125
                                  : __builtin_popcount(t->mask) * (int)t->milli;
        }
    }
    if (used > LIMIT_MILLI) wrong("team %d uses %" PRId64 " milli-GPU", LIMITED_TEAM, used);
}

/* Compares the books with all that the library says about jobs and their tasks. */
void compare(void) {
    static _Thread_local char names[JOBS][24];
    static _Thread_local lsched_task_ref runs[JOBS * TASKS];
    lsched_text list[JOBS];
    size_t n = 0, n_runs = 0;
    for (int i = 0; i < JOBS; i++) {
        struct job *j = &w.jobs[i];
        if (!j->id) continue;
        snprintf(names[n], sizeof names[n], "job-%d", j->number);
        list[n] = lsched_cstr(names[n]), n++;
        lsched_task_info t = {.size = sizeof t};
        int placed = 0;
        for (uint64_t at = 0; lsched_tasks_next(w.cluster, j->id, 0, &at, &t, &w.err) == 1;) {
            const struct task *k = &j->task[t.task_index];
            if (t.state == LSCHED_TASK_NOMINATED || t.state == LSCHED_TASK_DONE) continue;
            placed++;
            if (k->state == WAITS || k->state == DONE || w.nodes[k->node].id != t.node ||
                k->mask != t.device_mask || k->starts != t.device_starts)
                wrong("job-%d: task %u is not where the books have it", j->number, t.task_index);
        }
        if (placed != count(j, STARTS, STOPS)) wrong("job-%d: %d tasks", j->number, placed);
        for (int k = 0; k < j->tasks; k++)
            if (j->task[k].state == RUNS || j->task[k].state == STOPS)
                runs[n_runs++] = (lsched_task_ref){.size = sizeof runs[0],
                                                   .task_index = (uint32_t)k,
                                                   .job = j->id,
                                                   .run = j->task[k].run};
    }
    lsched_sync_report jobs = {.size = sizeof jobs}, tasks = {.size = sizeof tasks};
    check(lsched_sync(w.cluster, LSCHED_KIND_JOB, list, n, &jobs, &w.err), "sync");
    check(lsched_sync_tasks(w.cluster, runs, n_runs, sizeof runs[0], &tasks, &w.err), "sync tasks");
    if (jobs.n_missing || jobs.n_extra || tasks.n_missing || tasks.n_extra)
        wrong("%" PRIu64 " and %" PRIu64 " are missing, %" PRIu64 " and %" PRIu64 " are extra",
              jobs.n_missing, tasks.n_missing, jobs.n_extra, tasks.n_extra);
    w.compared++;
}

void print_totals(void) {
    printf("%" PRId64 " events, %" PRId64 " cycles, %d jobs: %" PRId64 " finished, %" PRId64
           " cancelled\n",
           w.handled, w.cycles, w.n_jobs, w.finished, w.cancelled);
    printf("tasks: %" PRId64 " placed, %" PRId64 " evicted, %" PRId64 " moved, %" PRId64
           " rejected, %" PRId64 " ended, %" PRId64 " failed; the feed: %" PRId64 " lost, %" PRId64
           " withdrawn\n",
           w.placed, w.evicted, w.moved, w.rejected, w.ended, w.failed, w.lost, w.withdrawn);
    printf("books compared %" PRId64 " times; wrong: %" PRId64 "\n", w.compared, w.wrong);
}
