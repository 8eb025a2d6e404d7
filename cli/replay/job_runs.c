/*
 * job_runs.c -- see job_runs.h.
 */
#include "cli/replay/job_runs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"

void job_runs_begin(struct job_runs *runs, const struct simulation_setup *setup,
                    struct job_metrics *measure, struct job_outcome *outcomes) {
    const struct job_list *list = setup->list;
    memset(runs, 0, sizeof *runs);
    runs->setup = setup;
    runs->measure = measure;
    runs->outcomes = outcomes;
    runs->now_us = list->jobs[0].submit_us;
    runs->jobs = must_alloc_zero(list->n_jobs * sizeof runs->jobs[0]);
    runs->lines = must_alloc_zero(list->n_queues * sizeof runs->lines[0]);
    runs->charged_by_queue = must_alloc_zero(list->n_queues * sizeof runs->charged_by_queue[0]);
    runs->held_by_queue = must_alloc_zero(list->n_queues * sizeof runs->held_by_queue[0]);
    for (size_t i = 0; i < list->n_jobs; i++) {
        runs->jobs[i].left_us = list->jobs[i].duration_us;
        runs->jobs[i].stopped_cycle = UINT64_MAX;
        outcomes[i] = (struct job_outcome){.start_us = LSCHED_NEVER_US, .end_us = LSCHED_NEVER_US};
    }
}

void job_runs_end(struct job_runs *runs) {
    for (size_t i = 0; i < runs->setup->list->n_queues; i++) event_heap_free(&runs->lines[i]);
    event_heap_free(&runs->events);
    free(runs->jobs);
    free(runs->lines);
    free(runs->charged_by_queue);
    free(runs->held_by_queue);
}

uint32_t job_runs_head(struct job_runs *runs, uint32_t line) {
    struct event_heap *heap = &runs->lines[line];
    while (heap->n > 0 && runs->jobs[heap->records[0].item].phase != JOB_WAITS)
        event_heap_pop(heap);
    return heap->n > 0 ? heap->records[0].item : NO_JOB;
}

/* Adds passed_us to head_wait_us of each queue's first waiting job, if the job fits into the unused
 * quota of its queue. Such a job should not wait for long, therefore the largest of these times is
 * a measure. Does nothing without quotas. With quotas, each queue has its own waiting line. */
static void watch_heads(struct job_runs *runs, int64_t passed_us) {
    const struct job_list *list = runs->setup->list;
    if (runs->setup->quota_units == NULL || runs->waiting == 0) return;
    for (uint32_t queue = 0; queue < list->n_queues; queue++) {
        uint32_t head = job_runs_head(runs, queue);
        if (head == NO_JOB || list->jobs[head].units + runs->charged_by_queue[queue] >
                                  runs->setup->quota_units[queue])
            continue;
        int64_t *waited_us = &runs->jobs[head].head_wait_us;
        *waited_us += passed_us;
        if (*waited_us > runs->measure->head_wait_us) runs->measure->head_wait_us = *waited_us;
    }
}

void job_runs_pass(struct job_runs *runs, int64_t to_us) {
    job_metrics_pass(runs->measure, runs->now_us, to_us, runs->held, runs->held_by_queue);
    watch_heads(runs, to_us - runs->now_us);
    runs->now_us = to_us;
}

static void begin_wait(struct job_runs *runs, uint32_t job) {
    const struct listed_job *of = &runs->setup->list->jobs[job];
    runs->jobs[job].phase = JOB_WAITS;
    runs->waiting++;
    job_metrics_waits(runs->measure, of->units, +1);
    event_heap_push(&runs->lines[simulation_line(runs->setup, of)],
                    (struct heap_record){.key = job, .item = job});
}

static void end_wait(struct job_runs *runs, uint32_t job) {
    runs->jobs[job].phase = JOB_HOLDS;
    runs->jobs[job].head_wait_us = 0;
    runs->waiting--;
    job_metrics_waits(runs->measure, runs->setup->list->jobs[job].units, -1);
}

void job_runs_arrive(struct job_runs *runs, uint32_t job) {
    const struct listed_job *of = &runs->setup->list->jobs[job];
    struct queue_measure *queue = &runs->measure->queues[of->queue];
    if (simulation_drops(runs->setup, of)) {
        runs->jobs[job].phase = JOB_DROPPED;
        runs->outcomes[job].dropped = true;
        runs->measure->dropped++;
        queue->dropped++;
        return;
    }
    double unit_seconds = (double)of->duration_us * 1e-6 * of->units;
    runs->measure->jobs++;
    runs->measure->asked += unit_seconds;
    queue->jobs++;
    queue->asked += unit_seconds;
    begin_wait(runs, job);
}

/* ---- progress ---- */

/* Returns done_us + elapsed_us * pace / units. The order of the operations avoids an overflow of 64
 * bits. */
static int64_t progress_us(const struct job_runs *runs, uint32_t job) {
    const struct job_run *own = &runs->jobs[job];
    int64_t units = runs->setup->list->jobs[job].units, pace = own->pace;
    int64_t elapsed_us = runs->now_us - own->run_since_us;
    if (pace == units) return own->done_us + elapsed_us;
    return own->done_us + elapsed_us / units * pace + elapsed_us % units * pace / units;
}

int64_t job_runs_left_us(const struct job_runs *runs, uint32_t job) {
    const struct job_run *own = &runs->jobs[job];
    return own->left_us - (own->pace > 0 ? progress_us(runs, job) : 0);
}

static void begin_run(struct job_runs *runs, uint32_t job) {
    struct job_run *own = &runs->jobs[job];
    runs->incomplete--;
    own->done_us = 0;
    if (own->started) return;
    own->started = true;
    runs->outcomes[job].start_us = runs->now_us;
    job_metrics_started(runs->measure, &runs->setup->list->jobs[job], runs->now_us);
}

/* Sets a job back to the last checkpoint of its current run, and counts the work after that
 * checkpoint as lost. */
static void interrupt(struct job_runs *runs, uint32_t job) {
    struct job_run *own = &runs->jobs[job];
    int64_t period_us = runs->setup->checkpoint_us;
    int64_t kept_us = period_us > 0 ? own->done_us - own->done_us % period_us : 0;
    int64_t lost_us = own->done_us - kept_us;
    own->left_us -= kept_us;
    runs->incomplete++;
    runs->outcomes[job].lost_us += lost_us;
    job_metrics_lost(runs->measure, &runs->setup->list->jobs[job], runs->now_us, lost_us);
}

/* Adds the event for the time at which the job ends if its pace does not change before. */
static void expect_end(struct job_runs *runs, uint32_t job) {
    struct job_run *own = &runs->jobs[job];
    int64_t units = runs->setup->list->jobs[job].units, pace = own->pace;
    int64_t left_us = own->left_us - own->done_us;
    /* the quotient is rounded up, because the job must not end before all of its work is done */
    if (pace != units)
        left_us = left_us / pace * units + (left_us % pace * units + pace - 1) / pace;
    event_heap_push(&runs->events, (struct heap_record){.key = runs->now_us + left_us,
                                                        .kind = EVENT_JOB_ENDS,
                                                        .item = job,
                                                        .detail = own->run});
}

/* Computes the pace of the job again. Before the call, a task of the job has started or stopped.
 * The pace can become larger, smaller, or 0. */
static void change_pace(struct job_runs *runs, uint32_t job) {
    struct job_run *own = &runs->jobs[job];
    uint32_t tasks = simulation_tasks(runs->setup, &runs->setup->list->jobs[job]);
    uint32_t needs = own->minimum > 0 && own->minimum < tasks ? own->minimum : tasks;
    uint32_t pace = own->running >= needs ? own->running_units : 0;
    if (pace == own->pace) return;
    runs->partial -= own->was_partial;
    if (own->pace > 0) {
        own->done_us = progress_us(runs, job);
        own->run++; /* this makes the earlier EVENT_JOB_ENDS of the job invalid */
    }
    if (own->pace == 0) begin_run(runs, job);
    if (pace == 0) interrupt(runs, job);
    own->pace = pace;
    own->run_since_us = runs->now_us;
    own->was_partial = pace > 0 && own->running < tasks;
    runs->partial += own->was_partial;
    if (pace > 0) expect_end(runs, job);
}

void job_runs_task_starts(struct job_runs *runs, uint32_t job, uint32_t task) {
    const struct listed_job *of = &runs->setup->list->jobs[job];
    struct job_run *own = &runs->jobs[job];
    uint32_t units = simulation_task_units(runs->setup, of, task);
    if (own->running == 0) {
        end_wait(runs, job);
        runs->incomplete++;
    }
    own->running++;
    own->running_units += units;
    runs->held += units;
    runs->held_by_queue[of->queue] += units;
    runs->charged_by_queue[of->queue] += units;
    change_pace(runs, job);
}

void job_runs_task_stops(struct job_runs *runs, uint32_t job, uint32_t task, bool moves,
                         uint64_t cycle) {
    const struct listed_job *of = &runs->setup->list->jobs[job];
    struct job_run *own = &runs->jobs[job];
    uint32_t units = simulation_task_units(runs->setup, of, task);
    if (own->stopped_cycle != cycle) {
        own->stopped_cycle = cycle;
        if (moves) {
            runs->measure->moves++;
            runs->outcomes[job].moves++;
        } else {
            runs->measure->evictions++;
            runs->outcomes[job].evictions++;
            runs->measure->queues[of->queue].evictions++;
        }
    }
    own->running--;
    own->running_units -= units;
    own->releasing++;
    runs->charged_by_queue[of->queue] -= units;
    change_pace(runs, job);
    if (own->running > 0) return;
    runs->incomplete--;
    begin_wait(runs, job);
}

void job_runs_task_gone(struct job_runs *runs, uint32_t job, uint32_t task) {
    const struct listed_job *of = &runs->setup->list->jobs[job];
    uint32_t units = simulation_task_units(runs->setup, of, task);
    runs->jobs[job].releasing--;
    runs->held -= units;
    runs->held_by_queue[of->queue] -= units;
}

void job_runs_job_ends(struct job_runs *runs, uint32_t job) {
    const struct listed_job *of = &runs->setup->list->jobs[job];
    struct job_run *own = &runs->jobs[job];
    runs->held -= own->running_units;
    runs->held_by_queue[of->queue] -= own->running_units;
    runs->charged_by_queue[of->queue] -= own->running_units;
    runs->partial -= own->was_partial;
    own->was_partial = false;
    own->running = own->running_units = own->pace = 0;
    own->id = 0;
    own->phase = JOB_DONE;
    runs->finished++;
    runs->outcomes[job].end_us = runs->now_us;
    job_metrics_done(runs->measure, of, runs->now_us);
}

bool job_runs_holds(const struct job_runs *runs, const struct heap_record *event) {
    const struct job_run *own = &runs->jobs[event->item];
    return event->kind == EVENT_TASK_GONE || event->detail == own->run;
}
