/*
 * plan_rows.h -- the decisions of plans by names, so that plans of two clusters can be compared.
 *
 * The tasks of a job are interchangeable. Two plans in which task 0 and task 1 have swapped their
 * places do not differ, therefore a row does not say which task it is about. A row has no reason
 * either. Two plans are equal here if the same jobs start, stop, move, and pause or resume, on the
 * same nodes with the same number of devices.
 */
#ifndef LSCHED_CLI_PLAN_ROWS_H
#define LSCHED_CLI_PLAN_ROWS_H

#include <stdbool.h>

#include "cli/support/name_table.h"

enum row_kind {
    ROW_START,
    ROW_CLAIM,
    ROW_STOP,
    ROW_MOVE,
    ROW_PAUSE,
    ROW_SWAP_OUT,
    ROW_RESUME,
    ROW_KINDS
};

struct plan_row {
    int64_t now_us;     /* time of the plan */
    uint32_t job, node; /* numbers of the names; the node of a move is its target */
    uint32_t devices;
    enum row_kind kind;
};

struct plan_rows {
    struct plan_row *items; /* owned by this struct */
    size_t n, capacity;
};

struct plan_names {
    struct name_table jobs, nodes;
};

/* Appends the decisions of a plan. `cluster` is the cluster that made the plan. */
void plan_rows_add(struct plan_rows *rows, struct plan_names *names, const lsched_cluster *cluster,
                   const lsched_plan *plan);
void plan_rows_free(struct plan_rows *rows);
void plan_names_free(struct plan_names *names);

enum row_difference {
    DIFFERS_STARTS_A, /* the job starts only under A */
    DIFFERS_STARTS_B,
    /* the job starts under both, but on different nodes or with a different number of tasks */
    DIFFERS_NODES,
    DIFFERS_STOPS_A, /* the job is evicted or moved only under A */
    DIFFERS_STOPS_B,
    /* the nominations differ, or whether the job is evicted or moved, or whether it is paused for
     * device memory */
    DIFFERS_CLAIMS,
    ROW_DIFFERENCES
};

/* One job for which plans A and B have different decisions. */
struct job_difference {
    uint32_t job;
    enum row_difference what;
    /* rows of A and B; they point into the rows that were compared */
    const struct plan_row *rows[2];
    size_t n[2];
};

/* Calls `found` for each job that differs, in the order of the jobs' numbers, and returns the
 * number of such jobs. Sorts the rows of both sides. `found` may be NULL. */
size_t plan_rows_compare(struct plan_row *a, size_t n_a, struct plan_row *b, size_t n_b,
                         void (*found)(void *user, const struct job_difference *difference),
                         void *user);

/* Returns text such as "starts on n-[0-3]; stops on n-7", or "-". The caller owns it. */
char *plan_rows_text(const struct plan_row *rows, size_t n, const struct plan_names *names);

#endif
