/*
 * list_schedule.c -- see list_schedule.h.
 */
#include "cli/projects/list_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

void list_schedule_begin(struct list_schedule *s, const struct project *project) {
    size_t n = project->n, points = 2 * n + 2;
    *s = (struct list_schedule){.project = project};
    s->rank = must_alloc((n + 1) * sizeof s->rank[0]);
    s->at = must_alloc(points * sizeof s->at[0]);
    s->free = must_alloc((points * project->n_resources + 1) * sizeof s->free[0]);
    s->mirrored = must_alloc((n + 1) * sizeof s->mirrored[0]);
    s->keys = must_alloc((n + 1) * sizeof s->keys[0]);
    s->list = must_alloc((n + 1) * sizeof s->list[0]);
    for (uint32_t i = 0; i < n; i++) s->rank[project->order[i]] = i;
}

void list_schedule_end(struct list_schedule *s) {
    free(s->rank);
    free(s->at);
    free(s->free);
    free(s->mirrored);
    free(s->keys);
    free(s->list);
    memset(s, 0, sizeof *s);
}

/* ---- free amounts over time ---- */

static int32_t *free_at(const struct list_schedule *s, uint32_t point) {
    return &s->free[(size_t)point * s->project->n_resources];
}

/* Returns the last breakpoint that is not after the time. */
static uint32_t find_point(const struct list_schedule *s, int32_t time) {
    uint32_t low = 0, high = s->n_at;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (s->at[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool fits(const struct list_schedule *s, uint32_t point, const int32_t *demand) {
    const int32_t *amounts = free_at(s, point);
    for (uint32_t k = 0; k < s->project->n_resources; k++)
        if (demand[k] > amounts[k]) return false;
    return true;
}

/* Returns the breakpoint of the time, which is made if there is none; `from` is not after it. */
static uint32_t split(struct list_schedule *s, uint32_t from, int32_t time) {
    uint32_t point = from;
    while (point + 1 < s->n_at && s->at[point + 1] <= time) point++;
    if (s->at[point] == time) return point;
    size_t behind = s->n_at - point - 1, amounts = s->project->n_resources * sizeof s->free[0];
    memmove(&s->at[point + 2], &s->at[point + 1], behind * sizeof s->at[0]);
    memmove(free_at(s, point + 2), free_at(s, point + 1), behind * amounts);
    memcpy(free_at(s, point + 1), free_at(s, point), amounts);
    s->at[point + 1] = time;
    s->n_at++;
    return point + 1;
}

/* Finds the earliest start from `ready` on, and takes the demand there. */
static int32_t insert(struct list_schedule *s, uint32_t i, int32_t ready) {
    const struct project *p = s->project;
    const int32_t *demand = &p->demand[(size_t)i * p->n_resources];
    int32_t duration = p->duration[i], start = ready;
    if (duration == 0) return ready;
    uint32_t first = find_point(s, ready);
    for (uint32_t point = first; point < s->n_at && s->at[point] < start + duration; point++) {
        s->work++;
        if (fits(s, point, demand)) continue;
        first = point + 1; /* the last breakpoint has everything free */
        start = s->at[first];
    }
    first = split(s, first, start);
    uint32_t last = split(s, first, start + duration);
    for (uint32_t point = first; point < last; point++) {
        int32_t *amounts = free_at(s, point);
        for (uint32_t k = 0; k < p->n_resources; k++) amounts[k] -= demand[k];
    }
    return start;
}

/* ---- schedules ---- */

/* Schedules forwards, or backwards in mirrored time with predecessors and successors swapped. */
static int32_t make(struct list_schedule *s, const uint32_t *list, bool backward, int32_t *start) {
    const struct project *p = s->project;
    const uint32_t *at = backward ? p->next_at : p->prior_at;
    const uint32_t *before = backward ? p->next : p->prior;
    int32_t makespan = 0;
    s->n_at = 1;
    s->at[0] = 0;
    memcpy(s->free, p->capacity, p->n_resources * sizeof s->free[0]);
    for (uint32_t place = 0; place < p->n; place++) {
        uint32_t i = list[place];
        int32_t ready = 0;
        for (uint32_t e = at[i]; e < at[i + 1]; e++) {
            int32_t end = start[before[e]] + p->duration[before[e]];
            if (end > ready) ready = end;
        }
        s->work += 2;
        start[i] = insert(s, i, ready);
        if (start[i] + p->duration[i] > makespan) makespan = start[i] + p->duration[i];
    }
    return makespan;
}

int32_t list_schedule_make(struct list_schedule *s, const uint32_t *list, int32_t *start) {
    return make(s, list, false, start);
}

static int compare_keys(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Writes the activities in descending order of their ends. Activities that end together are in
 * descending order of `rank`, or in ascending order if the schedule is a backward one. */
static void order_by_end(struct list_schedule *s, const int32_t *start, bool backward,
                         uint32_t *list) {
    const struct project *p = s->project;
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t end = (uint64_t)start[i] + (uint64_t)p->duration[i];
        uint64_t rank = backward ? p->n - 1 - s->rank[i] : s->rank[i];
        s->keys[i] = ~(end << 32 | rank);
    }
    qsort(s->keys, p->n, sizeof s->keys[0], compare_keys);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t rank = (uint32_t)~s->keys[i];
        list[i] = p->order[backward ? p->n - 1 - rank : rank];
    }
    s->work += p->n;
}

int32_t list_schedule_justify(struct list_schedule *s, int32_t *start, uint32_t *list) {
    order_by_end(s, start, false, s->list);
    make(s, s->list, true, s->mirrored);
    order_by_end(s, s->mirrored, true, list);
    return make(s, list, false, start);
}
