/*
 * plan_rows.c -- see plan_rows.h.
 */
#include "cli/plan/plan_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/name_list.h"
#include "cli/plan/plan_words.h"
#include "cli/support/cli_errors.h"

enum { PIECES_MAX = 3 };

/* ---- reading plans ---- */

static bool row_kind_of(uint32_t kind, enum row_kind *out) {
    switch (kind) {
    case LSCHED_DECIDE_PLACE: *out = ROW_START; return true;
    case LSCHED_DECIDE_NOMINATE: *out = ROW_CLAIM; return true;
    case LSCHED_DECIDE_EVICT: *out = ROW_STOP; return true;
    case LSCHED_DECIDE_MIGRATE: *out = ROW_MOVE; return true;
    case LSCHED_DECIDE_PAUSE: *out = ROW_PAUSE; return true;
    case LSCHED_DECIDE_SUSPEND: *out = ROW_SWAP_OUT; return true;
    case LSCHED_DECIDE_RESUME: *out = ROW_RESUME; return true;
    case LSCHED_DECIDE_CHECKPOINT: *out = ROW_CHECKPOINT; return true;
    case LSCHED_DECIDE_RESIZE: *out = ROW_RESIZE; return true;
    case LSCHED_DECIDE_WARN: *out = ROW_WARN; return true;
    default: return false;
    }
}

void plan_rows_add(struct plan_rows *rows, struct plan_names *names, const lsched_cluster *cluster,
                   const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    size_t n = lsched_plan_size(plan);
    lsched_plan_get(plan, &info, NULL);
    if (rows->n + n > rows->capacity) {
        rows->capacity = 2 * rows->capacity + n;
        rows->items = must_resize(rows->items, rows->capacity * sizeof rows->items[0]);
    }
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *decision = lsched_plan_at(plan, i);
        struct plan_row *row = &rows->items[rows->n];
        if (!row_kind_of(decision->kind, &row->kind)) continue;
        row->now_us = info.now_us;
        row->job = name_table_add(&names->jobs, name_of(cluster, decision->job));
        row->node =
            name_table_add(&names->nodes, name_of(cluster, row->kind == ROW_MOVE ? decision->to_node
                                                                                 : decision->node));
        row->devices = decision_devices(decision);
        rows->n++;
    }
}

void plan_rows_free(struct plan_rows *rows) {
    free(rows->items);
    memset(rows, 0, sizeof *rows);
}

void plan_names_free(struct plan_names *names) {
    name_table_free(&names->jobs);
    name_table_free(&names->nodes);
}

/* ---- comparing ---- */

#define BY(x, y)                                   \
    do {                                           \
        if ((x) != (y)) return (x) < (y) ? -1 : 1; \
    } while (0)

static int by_job(const void *a, const void *b) {
    const struct plan_row *x = a, *y = b;
    BY(x->job, y->job);
    BY(x->kind, y->kind);
    BY(x->node, y->node);
    BY(x->devices, y->devices);
    return 0;
}

static size_t job_end(const struct plan_row *rows, size_t from, size_t n) {
    size_t i = from;
    while (i < n && rows[i].job == rows[from].job) i++;
    return i;
}

static size_t count(const struct plan_row *rows, size_t n, enum row_kind kind) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) found += rows[i].kind == kind;
    return found;
}

/* Returns true if the job's rows of one kind are equal under A and B. Before the call, the rows
 * must be sorted, so that rows of one kind are adjacent. */
static bool same_rows(const struct job_difference *of, enum row_kind kind) {
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < of->n[0] && of->rows[0][i].kind != kind) i++;
        while (j < of->n[1] && of->rows[1][j].kind != kind) j++;
        if (i == of->n[0] || j == of->n[1]) return i == of->n[0] && j == of->n[1];
        if (by_job(&of->rows[0][i], &of->rows[1][j]) != 0) return false;
    }
}

/* Returns true if the job's rows of all kinds except ROW_START are equal under A and B. */
static bool same_rest(const struct job_difference *of) {
    static const enum row_kind rest[] = {ROW_STOP,       ROW_MOVE,     ROW_CLAIM,
                                         ROW_PAUSE,      ROW_SWAP_OUT, ROW_RESUME,
                                         ROW_CHECKPOINT, ROW_RESIZE,   ROW_WARN};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
        if (!same_rows(of, rest[i])) return false;
    return true;
}

/* Returns false if the job's rows are equal under A and B. Otherwise writes the first matching
 * value of enum row_difference to of->what. */
static bool classify(struct job_difference *of) {
    size_t starts[2], stops[2];
    for (size_t side = 0; side < 2; side++) {
        starts[side] = count(of->rows[side], of->n[side], ROW_START);
        stops[side] = count(of->rows[side], of->n[side], ROW_STOP) +
                      count(of->rows[side], of->n[side], ROW_MOVE);
    }
    if (starts[0] > 0 && starts[1] == 0) {
        of->what = DIFFERS_STARTS_A;
    } else if (starts[0] == 0 && starts[1] > 0) {
        of->what = DIFFERS_STARTS_B;
    } else if (!same_rows(of, ROW_START)) {
        of->what = DIFFERS_NODES;
    } else if (stops[0] > 0 && stops[1] == 0) {
        of->what = DIFFERS_STOPS_A;
    } else if (stops[0] == 0 && stops[1] > 0) {
        of->what = DIFFERS_STOPS_B;
    } else if (!same_rest(of)) {
        of->what = DIFFERS_CLAIMS;
    } else {
        return false;
    }
    return true;
}

size_t plan_rows_compare(struct plan_row *a, size_t n_a, struct plan_row *b, size_t n_b,
                         void (*found)(void *user, const struct job_difference *difference),
                         void *user) {
    size_t differences = 0;
    if (n_a > 0) qsort(a, n_a, sizeof a[0], by_job);
    if (n_b > 0) qsort(b, n_b, sizeof b[0], by_job);
    for (size_t i = 0, j = 0; i < n_a || j < n_b;) {
        struct job_difference of = {0};
        bool in_a = i < n_a && (j == n_b || a[i].job <= b[j].job);
        bool in_b = j < n_b && (i == n_a || b[j].job <= a[i].job);
        of.job = in_a ? a[i].job : b[j].job;
        if (in_a) {
            of.rows[0] = a + i;
            of.n[0] = job_end(a, i, n_a) - i;
        }
        if (in_b) {
            of.rows[1] = b + j;
            of.n[1] = job_end(b, j, n_b) - j;
        }
        i += of.n[0];
        j += of.n[1];
        if (!classify(&of)) continue;
        differences++;
        if (found != NULL) found(user, &of);
    }
    return differences;
}

/* ---- words ---- */

static char *joined(char *head, const char *words, char *nodes) {
    size_t len = (head != NULL ? strlen(head) + 2 : 0) + strlen(words) + strlen(nodes) + 1;
    char *out = must_alloc(len);
    snprintf(out, len, "%s%s%s%s", head != NULL ? head : "", head != NULL ? "; " : "", words,
             nodes);
    free(nodes);
    free(head);
    return out;
}

char *plan_rows_text(const struct plan_row *rows, size_t n, const struct plan_names *names) {
    static const char *const words[ROW_KINDS] = {
        [ROW_START] = "starts on ",
        [ROW_CLAIM] = "gets ",
        [ROW_STOP] = "stops on ",
        [ROW_MOVE] = "moves to ",
        [ROW_PAUSE] = "pauses on ",
        [ROW_SWAP_OUT] = "is swapped out on ",
        [ROW_RESUME] = "resumes on ",
        [ROW_CHECKPOINT] = "writes a checkpoint on ",
        [ROW_RESIZE] = "gets other amounts on ",
        [ROW_WARN] = "is told its end on ",
    };
    char *out = NULL;
    lsched_text *nodes = must_alloc(n * sizeof nodes[0]);
    for (enum row_kind kind = ROW_START; kind < ROW_KINDS; kind++) {
        size_t found = 0;
        /* if tasks of the job start, the text does not mention its nominations */
        if (kind == ROW_CLAIM && out != NULL) continue;
        for (size_t i = 0; i < n; i++)
            if (rows[i].kind == kind) nodes[found++] = names->nodes.names[rows[i].node];
        if (found > 0) out = joined(out, words[kind], name_list(nodes, found, PIECES_MAX));
    }
    free(nodes);
    return out != NULL ? out : must_copy("-", 1);
}
