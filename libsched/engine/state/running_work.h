/*
 * running_work.h -- the running and nominated tasks of each queue, the cheapest to evict first.
 *
 * A search for victims that reads all nodes costs as much as the cluster is large. This index lets
 * it begin with the tasks of the queues that may lose work, and stop as soon as no other task can
 * be cheaper. Tasks of one queue and of equal weight are one class, and each class is a heap: the
 * task of lowest priority first, then the one that started last, then the one whose job was
 * submitted last, then the one whose node's name sorts first. At every time, this is the order of
 * the costs of evicting the tasks of one class, because a cost grows with the time since the start.
 * Tasks whose lost work falls again at each checkpoint, nominations, and tasks of jobs with a soft
 * limit, which become first victims at a time, are in classes of their own.
 *
 * Always holds after running_work_sync(): the entries are those of the columns, also after a
 * rollback. The log of tasks says which tasks must be entered again. An entry has a copy of all
 * that decides its place, so that a heap never compares columns that have changed since. First all
 * changed tasks leave the heaps, then they are entered again.
 *
 * Cost: O(tasks) the first time and when the log does not reach back, otherwise O(log tasks) for
 * each changed task, and O(nodes) to copy the marks of names after nodes came or went. Memory: 36
 * bytes for each task row, 8 for each node. Why not one entry for each queue and node: a node whose
 * task ends would need the next task of the queue there, and lists of tasks by node and queue.
 */
#ifndef LIBSCHED_RUNNING_WORK_H
#define LIBSCHED_RUNNING_WORK_H

#include "model/store/name_order.h"
#include "model/store/columns.h"

enum running_sort { RUNNING_PLAIN, RUNNING_CHECKPOINTS, RUNNING_NOMINATED, RUNNING_SOFT };

struct running_task {
    int64_t started, submitted;
    int32_t priority;
    uint32_t node;
    uint32_t class; /* index of the class plus 1, 0 if the task is in none */
    uint32_t at;    /* index in the heap of the class */
};

struct running_class {
    uint32_t queue, sort; /* enum running_sort */
    int64_t weight;       /* milli-GPUs */
    uint32_t next;        /* index of the next class of the queue plus 1, or 0 */
    uint32_t *heap;       /* task rows */
    uint32_t n, cap;
};

struct running_work {
    struct running_task *task; /* by task row */
    struct running_class *class;
    uint64_t *mark;  /* by node row: copy of the marks of names */
    uint32_t *first; /* by queue row: index of the first class plus 1, or 0 */
    uint32_t cap_tasks, n, cap, cap_marks, cap_queues;
    /* marked, node_set: name_order.changes plus 1 and columns.node_set at the copy of the marks */
    uint64_t synced, marked, node_set;
    int known;
};

/* What a search in the index has found: the node for a task of the job (node: NO_ROW if there is
 * none), and in which state. `declined` is the context of jobs that need a search of all nodes,
 * `served` the latest context in which a node was found and not given up, `served_before` the one
 * before the latest job, and `given_up` the latest context in which a node was given up. `lacks` is
 * victim_search.lacks_guarantee when the node was found. */
struct running_found {
    uint32_t job, shape, node, declined, served, served_before, given_up;
    uint8_t lacks;
    size_t mark;
    uint64_t seen;
};

/* Brings the index up to date. nodes: the order of the names of nodes, which is current. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t running_work_sync(struct running_work *w, struct columns *k,
                          const struct name_order *nodes);
/* True if the next running_work_sync() reads few tasks, and the log of tasks has room for more. */
int running_work_is_near(const struct running_work *w, const struct columns *k);
/* True if task a comes before task b in the order of a class. Both are in a class. */
int running_work_before(const struct running_work *w, uint32_t a, uint32_t b);
/* True if the queue itself has running or nominated tasks. */
int running_work_any(const struct running_work *w, uint32_t queue);
/* Returns the weight of a task in milli-GPUs; 32 CPU cores of a task without GPUs weigh as much as
 * one GPU. */
int64_t running_work_weight(const struct columns *k, uint32_t task);
/* Frees the memory. The next running_work_sync() enters all tasks. */
void running_work_drop(struct running_work *w, struct columns *k);
/* True if the index is that of the columns, or if nothing is known. The index is brought up to date
 * first. */
int running_work_is_sound(struct running_work *w, struct columns *k,
                          const struct name_order *nodes);

#endif
