/*
 * explain_parts.h -- the files that make up an explanation. Each file writes some lines, or a part
 * of one line, and only reads the state.
 *
 *   explain.c          calls the others: what a job is and what its state is
 *   explain_wait.c     why the job waits: the text of every LSCHED_WAIT_* code
 *   explain_places.c   which topology level keeps the job waiting, which domain came closest
 *   explain_nodes.c    which nodes could hold the job, which jobs hold them, whose end helps
 *   explain_start.c    when the job may start
 *   explain_fresh.c    brings the numbers of a wait reason up to date
 *   explain_print.c    pieces of text that several files write
 *   explain_subject.c  small functions about the job, its tasks and nodes
 *   explain_short.c    what a node lacks for a task
 *   explain_names.c    labels and models that no node has, and the most similar names
 *   explain_others.c   what keeps running work from being evicted
 *   explain_devices.c  how many devices each property excluded, and the alternatives
 *   explain_queue.c    use, guarantee and fair share of the queues on the job's path
 *   explain_evict.c    why evictions did not help: the text of every LSCHED_EVICT_* code
 *   explain_rules.c    which taints, labels and affinity rules exclude the job
 *   explain_stop.c     which tasks are evicted for which job, and whether the job may be evicted
 */
#ifndef LIBSCHED_EXPLAIN_PARTS_H
#define LIBSCHED_EXPLAIN_PARTS_H

#include "engine/explain/explain.h"
#include "engine/explain/explain_print.h"
#include "engine/explain/explain_subject.h"
#include "model/jobs/job.h"

/* Amounts of one resource kind for one queue on the job's path. `core` is the non-preemptible use,
 * `share` the fair share. */
struct right {
    int64_t used, core, quota, guarantee, share, limit;
};

/* The context of one explanation. */
struct explain {
    struct lsched_cluster *c;
    const struct columns *k;
    struct text_out *o;
    int64_t now;
    uint32_t job, queue;
    uint32_t kind;                                     /* main resource kind of the job */
    int64_t need[KINDS_MAX];                           /* what the job needs next */
    uint32_t n_path, path[LSCHED_QUEUE_DEPTH_MAX + 1]; /* the job's queue and the queues above it */
    /* 1 if the policy's share algorithm knows guarantees */
    int has_rights;
    /* resource kinds that the job asks for and of which a queue has a guarantee; else only
     * `kind` */
    uint32_t n_kinds, kinds[KINDS_MAX];
    /* amounts by position in kinds[] and in path[] */
    struct right right[KINDS_MAX][LSCHED_QUEUE_DEPTH_MAX + 1];
    lsched_waiting w;
};

/* explain_queue.c. explain_rights reads the amounts of the path's queues; it returns an error if
 * memory is short. explain_queues writes them. */
int32_t explain_rights(struct explain *e);
void explain_queues(const struct explain *e);
/* Updates how much is left of the fair share that forbids the job to evict others
 * (LSCHED_EVICT_SHARE). */
void explain_queue_refresh(struct explain *e);
/* True if the queue at path[level] uses more than its guarantee of any kind in kinds[]. *kind is
 * set to the position in kinds[]. */
int explain_queue_exceeded(const struct explain *e, uint32_t level, uint32_t *kind);

/* explain_wait.c: writes the wait reason of a record whose objects exist, without the part about
 * evictions. */
void put_reason(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o);

/* explain_places.c: writes "no rack has room for 32 tasks at once: a/r3 comes closest, with room
 * for 20 of the 32; a task ". */
void put_places(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Writes "; in a/r3 n7 comes closest, with 4 of the 6 cores" for a job with several task shapes. */
void put_places_lack(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Updates the task group, the resource kind and the node in a record with LSCHED_WAIT_TOPOLOGY. */
void explain_places_refresh(const struct columns *k, lsched_waiting *w);

/* explain_nodes.c: put_room writes which nodes could hold a task and what they lack. nodes_able
 * returns the number of nodes that could hold a task of the shape if they were empty. */
void put_room(const struct columns *k, const lsched_waiting *w, int64_t now, struct text_out *o);
uint32_t nodes_able(const struct columns *k, uint32_t shape);
/* Writes "; 2 GPUs are held by tasks that were told to stop and are overdue (x on n0)". There is
 * no text if there are no such tasks on nodes that could hold the job. */
void put_stuck(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Writes which queues hold the room that the job could use. Returns LSCHED_E_NOMEM if there is no
 * memory. */
int32_t explain_holders(const struct explain *e);

/* explain_rules.c: writes "; 12 nodes carry taint gpu=broken that it does not tolerate". There is
 * no text if no rule excludes the job from a node. */
void put_unwelcome(const struct columns *k, uint32_t shape, struct text_out *o);
/* Writes which of the job's tasks are on nodes that drain or stop them, and until when. */
void explain_must_leave(const struct explain *e);
/* Writes the text of LSCHED_WAIT_RULES. */
void put_neighbours(const struct columns *k, const lsched_waiting *w, struct text_out *o);

/* explain_devices.c: writes lines for a job with a device claim; none for other jobs. */
void explain_devices(const struct explain *e);
/* explain_inside.c: writes where links, NUMA nodes or network cards keep the job from room that is
 * free; nothing for a job that does not ask for them. */
void explain_inside(const struct explain *e);
/* Writes ", linked by NVLINK or better, on one NUMA node, with 1 network card", but only those of
 * the three conditions that the shape has. */
void put_together(const struct columns *k, uint32_t shape, struct text_out *o);
/* True if one task would fit, with its devices together, if the node's tasks for which gone(of,
 * task) is true were gone. */
int together_if(const struct columns *k, uint32_t node, uint32_t shape,
                int (*gone)(const void *of, uint32_t task), const void *of);

/* explain_mig.c: writes which slices a MIG instance needs and where they are free; nothing for a
 * job without MIG instance. */
void explain_mig(const struct explain *e);
/* Writes "; the 2 devices that could have it are never recut". There is no text if one of them may
 * be repartitioned. */
void put_never_recut(const struct columns *k, uint32_t shape, struct text_out *o);

/* explain_evict.c: writes the text of the record's LSCHED_EVICT_* code. `fresh` is 1 if the rest
 * of a fair share in the record is up to date, 0 if it is from the last attempt. */
void put_evict(const struct lsched_cluster *c, const lsched_waiting *w, int fresh,
               struct text_out *o);

/* explain_others.c */
/* Returns the time until which the job is not evicted because the orchestrator refused to evict
 * it; 0 if there is no such time. */
int64_t refused_stop_until(const struct lsched_cluster *c, uint32_t job);
/* Writes what keeps the work of other jobs from being evicted, such as "; 16 GPUs are held by work
 * that is not preemptible (x)". */
void put_others(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o);
/* True if any work of other jobs may be evicted for the job, without regard to guarantees and fair
 * shares. */
int explain_others_may_go(const struct lsched_cluster *c, const lsched_waiting *w);

/* explain_start.c: writes when the job can start, if this follows from the known ends of running
 * work, and fills starts_us and starts_job of the job's record. */
void explain_start(struct explain *e);

/* explain_stop.c */
void put_releasing_task(const struct explain *e, uint32_t task, int say_why);
/* Writes a line for each job for which the job's tasks are evicted, at most four lines. Returns
 * the number of lines. */
uint32_t explain_takers(const struct explain *e);
/* writes which tasks are releasing the places for which the job is nominated */
void explain_nominations(const struct explain *e);
void explain_stop(const struct explain *e); /* writes which jobs may evict the job */
/* writes how long the job may run and what it needs to start */
void explain_limits(const struct explain *e);
void explain_disturbed(const struct explain *e);

#endif
