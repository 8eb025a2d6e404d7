/*
 * reasons_world.h -- small worlds in which a job waits, as plain data that is written as a scenario and played.
 *
 * A mend changes the data and says the same as an event of the scenario, so that the world which was mended has run the cycle in which the
 * job was parked: a wake-up that is lost shows as a reason that stays. The job that waits is called "j".
 */
#ifndef TESTS_REASONS_WORLD_H
#define TESTS_REASONS_WORLD_H

#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "property/chance.h"

enum { RW_NODES = 6, RW_QUEUES = 5, RW_JOBS = 10, RW_KINDS = 5, RW_NAME = 16 };
/* Kinds: those of the library, and a licence, the first of its own. */
enum { RW_LICENCE = 4 };

struct rw_node {
    char name[RW_NAME], zone[RW_NAME], rack[RW_NAME], model[RW_NAME];
    int64_t has[RW_KINDS]; /* base units; gpu in devices x 1000 */
    int shared, cordoned, tasks_max;
    int leaves_s, back_s; /* back_s 0: the node does not leave */
};

struct rw_queue {
    char name[RW_NAME], parent[RW_NAME];
    int64_t quota[RW_KINDS], limit[RW_KINDS], lend[RW_KINDS]; /* -1: not given */
    int jobs_max;
    int reclaim_min_s, preempt_min_s, delay_s;
};

struct rw_job {
    char name[RW_NAME], queue[RW_NAME], zone[RW_NAME], model[RW_NAME];
    char app[RW_NAME], apart[RW_NAME], near[RW_NAME];
    int64_t needs[RW_KINDS];
    int priority, firm, never_preempts, count, min, required_rack;
    int members; /* how many of the tasks exist; 0: all */
    int tokens;  /* what each task needs of supply "tokens" */
    int on[4], n_on, since_s;
    int duration_s, limit_s, retries, backoff_s, checkpoint_s;
    char more[64]; /* further keys, or "" */
};

struct rw {
    char policy[1200]; /* the whole key, or "" */
    char schedule[80];
    char events[600]; /* before the look at the reason */
    int manual;       /* decisions stay proposed */
    int last_s;       /* when the last of the events is */
    /* amount of supply "tokens", plus 1; 0: there is no such supply. tokens_rack: the amount is that
     * of a rack, and not of the cluster */
    int allowed; /* core hours of queue q in a period of 10 hours, plus 1; 0: any number */
    int tokens;
    char tokens_rack[RW_NAME];
    uint32_t n_nodes, n_queues, n_jobs;
    struct rw_node node[RW_NODES];
    struct rw_queue queue[RW_QUEUES];
    struct rw_job job[RW_JOBS];
};

struct rw_text {
    char p[16000];
    size_t n;
};
void rw_put(struct rw_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct rw_node *rw_add_node(struct rw *w, int64_t gpus, int64_t cores, int64_t gib);
struct rw_queue *rw_add_queue(struct rw *w, const char *name);
/* Of a queue; runs on a node, or waits (-1). */
struct rw_job *rw_add_job(struct rw *w, const char *name, const char *queue, int node);
struct rw_node *rw_find_node(struct rw *w, const char *name, size_t len);
struct rw_queue *rw_find_queue(struct rw *w, const char *name, size_t len);
struct rw_job *rw_find_job(struct rw *w, const char *name, size_t len);

void rw_put_node(struct rw_text *t, const struct rw_node *n);
void rw_put_node_update(struct rw_text *t, const struct rw_node *n);
void rw_put_queue(struct rw_text *t, const struct rw_queue *q);
void rw_put_job(struct rw_text *t, const struct rw *w, const struct rw_job *j);

/* Plays the world, and an event after it ("" for none). NULL: the library refused it, the message in err. */
lsched_cluster *rw_play(const struct rw *w, const char *event, lsched_error *err);

#endif
