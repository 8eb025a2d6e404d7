/*
 * plan_rows.h -- what plans decide, by names, so that plans of two clusters can be compared.
 *
 * Tasks of a job are alike: that task 0 and task 1 change places is no difference, so a row does
 * not say which task it speaks of. Neither does it hold reasons: two plans are equal here if the
 * same jobs start, stop, move and give way, on the same nodes with as many devices.
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
    int64_t now_us;     /* of the plan */
    uint32_t job, node; /* numbers; of a move: where it goes */
    uint32_t devices;
    enum row_kind kind;
};

struct plan_rows {
    struct plan_row *items; /* owned */
    size_t n, capacity;
};

struct plan_names {
    struct name_table jobs, nodes;
};

/* Appends the decisions of a plan; the cluster is the one that made it. */
void plan_rows_add(struct plan_rows *rows, struct plan_names *names, const lsched_cluster *cluster,
                   const lsched_plan *plan);
void plan_rows_free(struct plan_rows *rows);
void plan_names_free(struct plan_names *names);

enum row_difference {
    DIFFERS_STARTS_A, /* the job starts under A only */
    DIFFERS_STARTS_B,
    DIFFERS_NODES,   /* it starts under both, on other nodes, or with more tasks */
    DIFFERS_STOPS_A, /* it is stopped or moved under A only */
    DIFFERS_STOPS_B,
    DIFFERS_CLAIMS, /* its claims on room that comes free differ, or the way in which it stops, or
                       whether it waits where it is for device memory */
    ROW_DIFFERENCES
};

/* One job that the two sides treat differently. */
struct job_difference {
    uint32_t job;
    enum row_difference what;
    const struct plan_row *rows[2]; /* of A and B, into the rows that were compared */
    size_t n[2];
};

/* Calls found for each job that differs, in the order of their numbers; sorts the rows of both
 * sides. Returns how many there are. found may be NULL. */
size_t plan_rows_compare(struct plan_row *a, size_t n_a, struct plan_row *b, size_t n_b,
                         void (*found)(void *user, const struct job_difference *difference),
                         void *user);

/* "starts on n-[0-3]; stops on n-7", or "-". Owned by the caller. */
char *plan_rows_text(const struct plan_row *rows, size_t n, const struct plan_names *names);

#endif
