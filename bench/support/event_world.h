/*
 * event_world.h -- a full cluster to which single events come, one cycle after each.
 *
 * Every node has eight GPUs, or as many as the size says, and a task holds each of them. The tasks
 * belong to all queues in turn, and every queue is guaranteed what it holds. Jobs wait in the first
 * `waiting` queues, in `shapes` shapes each. Therefore a policy that evicts finds no victims until
 * an event changes something.
 * The world carries out each plan at once: tasks that are stopped are gone, tasks that are placed
 * run. Events choose their objects by the seed of the world alone, so a run can be repeated.
 *
 * The library's calls of an event and its cycle are made in event_world_measured(), and nothing
 * else is. The benchmarks read the CPU time and the steps of this function; tests/cost counts its
 * instructions with callgrind.
 */
#ifndef LSCHED_BENCH_EVENT_WORLD_H
#define LSCHED_BENCH_EVENT_WORLD_H

#include <libsched/libsched.h>

/* The kinds of events: the name of the enumerator, the name in rows, and the percentage of the kind
 * in a mixed stream. The kinds from FIND on are queries: they change nothing, and no cycle follows.
 */
#define EVENT_WORLD_KINDS(X)                                                                      \
    X(IDLE, idle, 0)                   /* nothing happens */                                      \
    X(TASK_ENDED, task_ended, 36)      /* a running task is reported as ended */                  \
    X(SUBMIT, submit, 36)              /* a job of a known shape is submitted */                  \
    X(CANCEL, cancel, 10)              /* a waiting job is removed */                             \
    X(QUOTA, quota, 4)                 /* a queue's quota grows by a GPU, or shrinks again */     \
    X(LABEL, label, 4)                 /* a label of a node gets another value */                 \
    X(FLAP, flap, 4)                   /* a node is cordoned, or ready again */                   \
    X(ABSENCE, absence, 0)             /* a node is to leave in a day, or not */                  \
    X(ABSENCE_ENDED, absence_ended, 0) /* a node is back from an absence */                       \
    X(NEW_USER, new_user, 4)           /* the first job of a user is submitted */                 \
    X(REFRESH, refresh, 2)             /* 31 seconds pass */                                      \
    X(NODE_ADDED, node_added, 0)       /* a node is added */                                      \
    X(QUEUE_ADDED, queue_added, 0)     /* a queue is added */                                     \
    X(HOLD, hold, 0)                   /* a waiting job is held */                                \
    X(RELEASE, release, 0)             /* a held job is released */                               \
    X(HOLD_ENDED, hold_ended, 0)       /* the time of a hold comes */                             \
    X(EXPIRED, expired, 0)             /* the life of a proposal ends */                          \
    X(CHECKPOINT, checkpoint, 0)       /* a task past its time limit is asked for a checkpoint */ \
    X(EVICT_AFTER, evict_after, 0)     /* the time of such a checkpoint ends */                   \
    X(RESIZE, resize, 0)               /* a running task is to have more memory */                \
    X(DEPEND, depend, 0)               /* a job is submitted that waits for one that runs */      \
    X(AHEAD_ENDED, ahead_ended, 0)     /* a job ends for which other jobs wait */                 \
    X(CLAIM, claim, 0)         /* a job of a new shape claims a node's devices that match */      \
    X(FIND, find, 0)           /* a node is found by its name */                                  \
    X(JOB_GET, job_get, 0)     /* a waiting job is read */                                        \
    X(NEXT_WAKE, next_wake, 0) /* the time of the next cycle is asked for */                      \
    X(STATS, stats, 0)         /* the numbers of the cluster are read */                          \
    X(EXPLAIN, explain, 0)     /* a waiting job is explained */                                   \
    X(HASH, hash, 0)           /* the image is hashed */                                          \
    X(CLONE, clone, 0)         /* the cluster is copied into a clone that exists already */       \
    X(RELOAD, reload, 0)       /* the cluster is saved and loaded */                              \
    X(VERIFY, verify, 0)       /* the verifier checks the state */

enum event_kind {
#define X(name, word, percent) EVENT_##name,
    EVENT_WORLD_KINDS(X)
#undef X
        EVENT_KINDS
};

struct event_size {
    const char *policy; /* a ready-made policy; NULL: the action allocate alone, by drf */
    uint32_t nodes, queues;
    uint32_t waiting; /* the first queues, in which jobs wait; at most `queues` */
    uint32_t shapes;  /* shapes that wait in each of these queues */
    uint32_t jobs;    /* waiting jobs of each shape in each of these queues */
    uint64_t seed;
    uint32_t gpus;    /* GPUs of each node; 0: eight */
    uint32_t absent;  /* 1: every node leaves each day, half of them within an hour */
    uint32_t stops;   /* 1: each running job takes a time of its own to stop, up to two hours */
    uint32_t overdue; /* 1: the policy has the action evict-overdue, too */
    /* jobs that wait for the same job: before the event DEPEND, and until AHEAD_ENDED; 0: one */
    uint32_t dependants;
    uint32_t resizes; /* tasks that wait for more memory than their node has free */
};

struct event_cost {
    double seconds; /* thread CPU time */
    uint64_t steps;
};

struct event_world;

struct event_world *event_world_open(const struct event_size *size);
void event_world_close(struct event_world *w);
lsched_cluster *event_world_cluster(struct event_world *w);
/* Draws the next kind of a mixed stream. */
enum event_kind event_world_draw(struct event_world *w);
const char *event_world_name(enum event_kind kind);
/* Lets `times` events of the kind happen, at most EVENT_TIMES_MAX, then runs one cycle. Afterwards
 * carries the plan out, and undoes additions, which is not measured. Returns 0 if there was no
 * object for an event. */
enum { EVENT_TIMES_MAX = 256 };
int event_world_run(struct event_world *w, enum event_kind kind, uint32_t times,
                    struct event_cost *cost);

/* Makes the prepared calls and runs the cycle. Returns the plan of the cycle, NULL after queries.
 * The function is never inlined, so that callgrind can find it by its name. */
lsched_plan *event_world_measured(struct event_world *w);

#endif
