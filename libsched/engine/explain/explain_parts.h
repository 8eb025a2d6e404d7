/*
 * explain_parts.h -- the parts of an explanation; each writes its lines, or a part of one, and
 * reads only.
 *
 *   explain.c          the whole: what a job is and where it stands
 *   explain_wait.c     why it waits: the text of every LSCHED_WAIT_* code
 *   explain_places.c   which level of a tree keeps it waiting, which domain came closest
 *   explain_nodes.c    which nodes could hold it, who holds them, whose end helps
 *   explain_start.c    when it may start
 *   explain_fresh.c    the numbers of a reason, of the state as it is
 *   explain_print.c    pieces of text that several parts write
 *   explain_subject.c  what several parts ask about the job, its tasks and nodes
 *   explain_short.c    what a node lacks for a task
 *   explain_names.c    labels and models that no node has, and the nearest that there is
 *   explain_others.c   what keeps running work from being stopped
 *   explain_devices.c  which property of devices excluded how many, and the alternatives
 *   explain_queue.c    what the queues on its path have a right to
 *   explain_evict.c    why evicting others did not help: the text of every LSCHED_EVICT_* code
 *   explain_rules.c    which taints, labels and terms about jobs keep it out
 *   explain_stop.c     who leaves for whom, and whether its own work may be stopped
 */
#ifndef LIBSCHED_EXPLAIN_PARTS_H
#define LIBSCHED_EXPLAIN_PARTS_H

#include "engine/explain/explain.h"
#include "engine/explain/explain_print.h"
#include "engine/explain/explain_subject.h"
#include "model/jobs/job.h"

/* One queue of the job's path, of one kind. */
struct right {
    int64_t used, core, quota, guarantee, share, limit;
};

/* A question about one job. */
struct explain {
    struct lsched_cluster *c;
    const struct columns *k;
    struct text_out *o;
    int64_t now;
    uint32_t job, queue;
    uint32_t kind;                                     /* resource that the job is about */
    int64_t need[KINDS_MAX];                           /* what it needs next */
    uint32_t n_path, path[LSCHED_QUEUE_DEPTH_MAX + 1]; /* its queue and those above */
    int has_rights;                                    /* the policy's share knows guarantees */
    uint32_t n_kinds, kinds[KINDS_MAX]; /* that it asks for and that are guaranteed; else `kind` */
    struct right right[KINDS_MAX][LSCHED_QUEUE_DEPTH_MAX + 1]; /* by place in kinds and path */
    lsched_waiting w;
};

/* explain_queue.c. What cannot be asked for want of memory is an error. */
int32_t explain_rights(struct explain *e);
void explain_queues(const struct explain *e);
/* What is left now of the fair share that keeps the job from taking from others (EVICT_SHARE). */
void rights_refresh(struct explain *e);
/* Does the queue hold more than it is guaranteed, of some kind that counts; *kind: its place in
 * kinds. */
int right_exceeded(const struct explain *e, uint32_t level, uint32_t *kind);

/* explain_wait.c: of a record whose objects exist, without what it says of evicting. */
void put_reason(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o);

/* explain_places.c: "no rack has room for 32 tasks at once: a/r3 comes closest, with room for 20 of
 * the 32; a task ". */
void put_places(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* "; in a/r3 n7 comes closest, with 4 of the 6 cores", of a job of several kinds of task. */
void put_places_lack(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* The kind of task, the resource and the node of LSCHED_WAIT_TOPOLOGY, of the state as it is. */
void places_refresh(const struct columns *k, lsched_waiting *w);

/* explain_nodes.c */
void put_room(const struct columns *k, const lsched_waiting *w, int64_t now, struct text_out *o);
uint32_t nodes_able(const struct columns *k, uint32_t shape);
/* "; 2 GPUs are held by tasks that were told to stop and are overdue (x on n0)"; nothing without
 * any on nodes that could hold it. */
void put_stuck(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Who holds what the job could use. LSCHED_E_NOMEM. */
int32_t explain_holders(const struct explain *e);

/* explain_rules.c: "; 12 nodes carry taint gpu=broken that it does not tolerate", nothing where no
 * rule keeps it from a node. */
void put_unwelcome(const struct columns *k, uint32_t shape, struct text_out *o);
/* Its tasks on nodes that drain or stop them, and until when. */
void explain_must_leave(const struct explain *e);
/* LSCHED_WAIT_RULES. */
void put_neighbours(const struct columns *k, const lsched_waiting *w, struct text_out *o);

/* explain_devices.c: lines for a job that claims devices; none for others. */
void explain_devices(const struct explain *e);
/* explain_inside.c: where links, NUMA nodes or network cards keep apart what is there; nothing for
 * a job that does not ask for them. */
void explain_inside(const struct explain *e);
/* "linked by NVLINK or better, on one NUMA node, with 1 network card", each after a comma; nothing
 * if it asks for none. */
void put_together(const struct columns *k, uint32_t shape, struct text_out *o);
/* Would one task fit together if those tasks of the node went that are gone(of, task). */
int together_if(const struct columns *k, uint32_t node, uint32_t shape,
                int (*gone)(const void *of, uint32_t task), const void *of);

/* explain_mig.c: which slices a MIG instance needs, and where they are; nothing for a job that asks
 * for none. */
void explain_mig(const struct explain *e);
/* "; the 2 devices that could have it are never recut", nothing if one of them may be. */
void put_never_recut(const struct columns *k, uint32_t shape, struct text_out *o);

/* explain_evict.c. fresh: what is left of a fair share is that of the state as it is; else of the
 * try. */
void put_evict(const struct lsched_cluster *c, const lsched_waiting *w, int fresh,
               struct text_out *o);

/* explain_others.c */
/* Until when the job is left alone after its host refused to stop it; 0 if it is not. */
int64_t refused_stop_until(const struct lsched_cluster *c, uint32_t job);
/* "; 16 GPUs are held by work that is not preemptible (x)": what else keeps others from being
 * stopped. */
void put_others(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o);
/* True if any work of others may be stopped for the job at all, as far as it is not a matter of
 * rights. */
int others_may_go(const struct lsched_cluster *c, const lsched_waiting *w);

/* explain_start.c: when it may start, as far as anybody can say; fills starts_us and starts_job of
 * its record. */
void explain_start(struct explain *e);

/* explain_stop.c */
void put_leaving_task(const struct explain *e, uint32_t task, int say_why);
/* For whom its tasks stop: how many there are, a line for each of the first. */
uint32_t explain_takers(const struct explain *e);
void explain_claims(const struct explain *e); /* who leaves the places that it has claims on */
void explain_stop(const struct explain *e);   /* who may stop it */
void explain_limits(const struct explain *e); /* how long it may run, what it needs to start */
void explain_disturbed(const struct explain *e);

#endif
