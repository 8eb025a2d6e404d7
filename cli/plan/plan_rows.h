/*
 * plan_rows.h -- lists the decisions of plans with the names of jobs and nodes instead of ids, so
 * that plans of two clusters can be compared. Each decision is one row of the list.
 *
 * The tasks of a job are interchangeable: if task 0 and task 1 of a job have swapped their nodes,
 * the two plans are still equal. Therefore a row has neither the task nor the reason of the
 * decision. Two plans are equal here if the same jobs start, are nominated, stop, move, pause and
 * resume on the same nodes with the same numbers of devices.
 */
#ifndef LSCHED_CLI_PLAN_ROWS_H
#define LSCHED_CLI_PLAN_ROWS_H

#include "cli/support/name_table.h"

enum row_kind {
    ROW_START,
    ROW_CLAIM,
    ROW_STOP,
    ROW_MOVE,
    ROW_PAUSE,
    ROW_SWAP_OUT,
    ROW_RESUME,
    ROW_CHECKPOINT,
    ROW_RESIZE,
    ROW_WARN,
    ROW_KINDS
};

struct plan_row {
    int64_t now_us; /* time of the plan */
    /* indexes of the names in plan_names; the node of a move is the target node */
    uint32_t job, node;
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

/* Appends the decisions of a plan to `rows`, and new names to `names`. `cluster` is the cluster
 * that made the plan. */
void plan_rows_add(struct plan_rows *rows, struct plan_names *names, const lsched_cluster *cluster,
                   const lsched_plan *plan);
void plan_rows_free(struct plan_rows *rows);
void plan_names_free(struct plan_names *names);

enum row_difference {
    DIFFERS_STARTS_A, /* the job starts only under A */
    DIFFERS_STARTS_B,
    /* the job starts under both policies, but on different nodes, with different numbers of tasks,
     * or with different numbers of devices */
    DIFFERS_NODES,
    DIFFERS_STOPS_A, /* the job is evicted or moved only under A */
    DIFFERS_STOPS_B,
    /* none of the differences above, but other rows of the job differ, such as its nominations, the
     * nodes of its evictions and moves, or its pauses for memory pressure */
    DIFFERS_CLAIMS,
    ROW_DIFFERENCES
};

/* a job for which the plans of policies A and B have different decisions */
struct job_difference {
    uint32_t job;
    enum row_difference what;
    /* the job's rows under A and under B, which point into the arrays that were compared */
    const struct plan_row *rows[2];
    size_t n[2];
};

/* Calls `found` for each job whose rows in `a` and `b` differ, in the order of the jobs' indexes.
 * Returns the number of these jobs. Sorts both arrays. `found` can be NULL. */
size_t plan_rows_compare(struct plan_row *a, size_t n_a, struct plan_row *b, size_t n_b,
                         void (*found)(void *user, const struct job_difference *difference),
                         void *user);

/* Returns a text about the rows of one job, such as "starts on n-[0-3]; stops on n-7", or "-" if
 * there is no row. The caller frees the text. */
char *plan_rows_text(const struct plan_row *rows, size_t n, const struct plan_names *names);

#endif
