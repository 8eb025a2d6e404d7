/* plan_lines.c -- see plan_lines.h. The cost is that of sorting: O(n log n) for a plan of n
 * decisions. */
#include "cli/plan/plan_lines.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/name_list.h"
#include "cli/plan/plan_words.h"
#include "cli/support/cli_errors.h"

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* ---- which decisions share a line ---- */

static int compare_name(const lsched_text *a, size_t a_prefix, const lsched_text *b,
                        size_t b_prefix) {
    if (a_prefix != b_prefix) return compare_numbers(a_prefix, b_prefix);
    return a_prefix > 0 ? memcmp(a->ptr, b->ptr, a_prefix) : 0;
}

static int compare_lines(const struct plan_entry *a, const struct plan_entry *b) {
    const lsched_decision *x = a->decision, *y = b->decision;
    int order = compare_name(&a->job, a->prefix, &b->job, b->prefix);
    if (order == 0) order = compare_numbers(x->kind, y->kind);
    if (order == 0) order = compare_numbers(x->group_index, y->group_index);
    if (order == 0) order = compare_numbers(x->device_milli, y->device_milli);
    if (order == 0) order = compare_numbers(decision_devices(x), decision_devices(y));
    if (order == 0) order = compare_numbers(x->reason, y->reason);
    if (order != 0) return order;
    return compare_name(&a->for_job, a->for_prefix, &b->for_job, b->for_prefix);
}

static int by_line(const void *a, const void *b) {
    const struct plan_entry *x = a, *y = b;
    int order = compare_lines(x, y);
    return order != 0 ? order : compare_numbers(x->at, y->at);
}

/* ---- the order of the lines ---- */

static int by_place(const void *a, const void *b) {
    const struct plan_entry *x = a, *y = b;
    if (x->anchor != y->anchor) return compare_numbers(x->anchor, y->anchor);
    bool x_below = plan_line_is_below(x), y_below = plan_line_is_below(y);
    if (x_below != y_below) return x_below ? 1 : -1;
    return x->first != y->first ? compare_numbers(x->first, y->first)
                                : compare_numbers(x->at, y->at);
}

struct seat {
    lsched_id job;
    uint32_t task; /* index of the moved task; 0 in the list that find_anchors() makes */
    size_t first;
};

static int by_job(const void *a, const void *b) {
    const struct seat *x = a, *y = b;
    return compare_numbers(x->job, y->job);
}

static int by_task(const void *a, const void *b) {
    const struct seat *x = a, *y = b;
    return x->job != y->job ? compare_numbers(x->job, y->job) : compare_numbers(x->task, y->task);
}

/* Returns the tasks that the plan moves, sorted by job and task. */
static struct seat *read_moves(const lsched_plan *plan, size_t *n) {
    size_t all = lsched_plan_size(plan);
    struct seat *moves = must_alloc((all + 1) * sizeof moves[0]);
    *n = 0;
    for (size_t i = 0; i < all; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_MIGRATE)
            moves[(*n)++] = (struct seat){d->job, d->task_index, i};
    }
    qsort(moves, *n, sizeof moves[0], by_task);
    return moves;
}

static void read_entries(const lsched_scenario_cycle *cycle, struct plan_lines *out) {
    size_t n_moves, n = lsched_plan_size(cycle->plan);
    struct seat *moves = read_moves(cycle->plan, &n_moves);
    out->entries = must_alloc((n + 1) * sizeof out->entries[0]);
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(cycle->plan, i);
        struct seat key = {d->job, d->task_index, 0};
        if (d->kind == LSCHED_DECIDE_NOMINATE &&
            bsearch(&key, moves, n_moves, sizeof moves[0], by_task) != NULL)
            continue;
        struct plan_entry *e = &out->entries[out->n++];
        *e = (struct plan_entry){.decision = d, .at = i, .first = i, .anchor = i};
        e->job = name_of(cycle->cluster, d->job);
        e->prefix = name_prefix(&e->job);
        if (d->for_job != 0) e->for_job = name_of(cycle->cluster, d->for_job);
        if (d->for_job != 0) e->for_prefix = name_prefix(&e->for_job);
        out->placed += d->kind == LSCHED_DECIDE_PLACE;
        out->nominated += d->kind == LSCHED_DECIDE_NOMINATE;
        out->evicted += d->kind == LSCHED_DECIDE_EVICT;
        out->moved += d->kind == LSCHED_DECIDE_MIGRATE;
        out->paused += d->kind == LSCHED_DECIDE_PAUSE;
        out->swapped_out += d->kind == LSCHED_DECIDE_SUSPEND;
        out->resumed += d->kind == LSCHED_DECIDE_RESUME;
        out->checkpoints += d->kind == LSCHED_DECIDE_CHECKPOINT;
        out->resizes += d->kind == LSCHED_DECIDE_RESIZE;
        out->warnings += d->kind == LSCHED_DECIDE_WARN;
    }
    free(moves);
}

/* Sets the anchor of each decision. The anchor of an eviction or a move for a job is the line that
 * places or nominates that job. */
static void find_anchors(struct plan_lines *lines) {
    struct seat *seats = must_alloc((lines->n + 1) * sizeof seats[0]);
    size_t n = 0;
    for (size_t i = 0; i < lines->n; i++) {
        const struct plan_entry *e = &lines->entries[i];
        if (e->decision->for_job == 0)
            seats[n++] = (struct seat){.job = e->decision->job, .first = e->first};
    }
    qsort(seats, n, sizeof seats[0], by_job);
    for (size_t i = 0; i < lines->n; i++) {
        struct plan_entry *e = &lines->entries[i];
        struct seat key = {.job = e->decision->for_job};
        const struct seat *seat =
            key.job != 0 ? bsearch(&key, seats, n, sizeof seats[0], by_job) : NULL;
        e->anchor = seat != NULL ? seat->first : e->first;
    }
    free(seats);
}

/* Gives all decisions of a line the anchor of the first decision in the line. */
static void agree_on_anchors(struct plan_lines *lines) {
    for (size_t i = 0; i < lines->n;) {
        size_t end = plan_line_end(lines, i);
        for (size_t j = i; j < end; j++) lines->entries[j].anchor = lines->entries[i].anchor;
        i = end;
    }
}

void plan_lines_make(const lsched_scenario_cycle *cycle, struct plan_lines *out) {
    memset(out, 0, sizeof *out);
    read_entries(cycle, out);
    qsort(out->entries, out->n, sizeof out->entries[0], by_line);
    for (size_t i = 1; i < out->n; i++) {
        if (compare_lines(&out->entries[i - 1], &out->entries[i]) == 0)
            out->entries[i].first = out->entries[i - 1].first;
    }
    find_anchors(out);
    agree_on_anchors(out);
    qsort(out->entries, out->n, sizeof out->entries[0], by_place);
}

void plan_lines_free(struct plan_lines *lines) {
    free(lines->entries);
    memset(lines, 0, sizeof *lines);
}

bool plan_lines_have_times(const struct plan_lines *lines) {
    return lines->nominated + lines->evicted + lines->moved + lines->warnings > 0;
}

size_t plan_line_end(const struct plan_lines *lines, size_t i) {
    size_t end = i + 1;
    while (end < lines->n && lines->entries[end].first == lines->entries[i].first) end++;
    return end;
}

bool plan_line_is_below(const struct plan_entry *entry) {
    return entry->anchor != entry->first;
}
