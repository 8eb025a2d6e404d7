/*
 * lowest_work.h -- the lowest priorities and the smallest tasks of the work that queues can lose.
 *
 * An action that evicts work of the waiting job's own queue has nothing to evict if all work of
 * that queue has a higher priority. Most jobs wait in that state, so the two priorities that decide
 * it are kept from cycle to cycle: that of all jobs with running or nominated tasks, and that of
 * those jobs of which a job of equal priority can evict work: they can have surplus, or have a soft
 * limit. Under shares without guarantees, the smallest amounts that a
 * queue can lose say how far its share must be above another one. So the least amounts of the tasks
 * of each queue are kept, too.
 *
 * Tasks are counted in classes of equal queue, priority, `yields` and task shape, and the log of
 * tasks says which tasks must be counted again. Rows of queues and shapes are used again, so a
 * class also has the real queue and the serial number of the shape. Invariant: after
 * lowest_work_sync(), priorities and amounts are those of the columns, also after a rollback.
 * Whoever changes the priority or the soft limit of a job touches its tasks (task_touch_all); its
 * queue never changes, and its job shape only while it has no tasks.
 *
 * Cost: O(tasks) the first time and when the log does not reach back, otherwise O(changed tasks),
 * and O(classes of the queue) after a class of the queue became empty or a new one came. Memory: 4
 * bytes for each task row. Why not a heap of jobs for each queue: most queues have only a few
 * priorities and shapes, and equal tasks then cost one count each.
 */
#ifndef LIBSCHED_LOWEST_WORK_H
#define LIBSCHED_LOWEST_WORK_H

#include "model/store/columns.h"

struct lowest_class {
    uint32_t queue, real; /* the queue, and the queue to which its jobs were submitted */
    int32_t priority;
    uint32_t yields, shape; /* yields: 1 if jobs of equal priority can ever evict such work */
    uint64_t serial; /* of the task shape: another shape can get the row of one that is gone */
    uint32_t next, next_real; /* index of the next class of `queue` and of `real`, plus 1 */
    uint32_t tasks;
};

struct lowest_queue {
    /* index of the first class plus 1, 0 if there is none: of this queue, and of all queues of
     * which this is the real queue */
    uint32_t first, first_real;
    int knows_least, knows_lowest;
    int32_t lowest[2];        /* of all jobs; of jobs that yield */
    int64_t least[KINDS_MAX]; /* [0] is 1 if the queue has work */
};

struct lowest_work {
    uint32_t *of; /* by task row: index of the class in which the task counts plus 1, or 0 */
    struct lowest_class *class;
    struct lowest_queue *queue; /* by queue row */
    uint32_t *slot;             /* hash table of classes: index plus 1, or 0 */
    uint32_t cap_tasks, n, cap, cap_queues, n_slots;
    uint32_t used; /* number of classes that have tasks */
    uint64_t synced;
    int known;
};

/* Brings the counts up to date. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t lowest_work_sync(struct lowest_work *s, struct columns *k);
/* Returns the lowest priority of the jobs of the real queue that have running or nominated tasks;
 * with `yields`, of those that yield. INT32_MAX if there are none. Valid after
 * lowest_work_sync(). */
int32_t lowest_work_of(struct lowest_work *s, const struct columns *k, uint32_t queue, int yields);
/* Returns the smallest amounts, by resource kind, of a running or nominated task of the queue
 * itself, without the queues below it. Entry [0] is 0 if there is no task. Valid after
 * lowest_work_sync(), and until the next one. */
const int64_t *lowest_work_least(struct lowest_work *s, const struct columns *k, uint32_t queue);
/* Frees the memory. The next lowest_work_sync() counts all tasks. */
void lowest_work_drop(struct lowest_work *s, struct columns *k);
/* True if the kept priorities are those of the columns, or if nothing is known. The counts are
 * brought up to date first. */
int lowest_work_is_sound(struct lowest_work *s, struct columns *k);

#endif
