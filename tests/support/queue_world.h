/* queue_world.h -- a cluster of GPUs, queues and jobs by name, for tests of what queues allow and
 * count. Every call is checked by an assertion; every cycle and every state by the verifier. */
#ifndef LSCHED_TESTS_QUEUE_WORLD_H
#define LSCHED_TESTS_QUEUE_WORLD_H

#include <libsched/libsched.h>

struct queue_world {
    lsched_cluster *cluster;
    int64_t now_us;
    uint32_t evictions; /* that were decided */
    lsched_error err;   /* of the latest call that failed */
};

#define QUEUE_WORLD_S ((int64_t)1000000)

/* gpus devices on each of n nodes "n0" .. ; fair_share NULL: no policy. */
void queue_world_open(struct queue_world *w, uint32_t n, uint32_t gpus, const char *fair_share);
void queue_world_close(struct queue_world *w);
void queue_world_policy(struct queue_world *w, const char *text);

/* In GPUs; 0: none given. lend: LENDS(n). */
struct queue_form {
    const char *name, *parent;
    int quota, limit, lend, user_limit, group_limit;
    uint32_t flags, jobs_max, submitted_max, user_jobs_max, user_submitted_max;
};
#define LENDS(n)        ((n) + 1)
#define QUEUE_FORM(...) ((struct queue_form){__VA_ARGS__})
int32_t queue_world_queue(struct queue_world *w, struct queue_form form);
int32_t queue_world_update(struct queue_world *w, struct queue_form form);

/* Tasks of one GPU each, in one leaf. */
struct work_form {
    const char *name, *queue, *user, *group;
    uint32_t tasks, min, flags; /* 0 tasks: one; 0 min: all */
};
int32_t queue_world_job(struct queue_world *w, struct work_form form);
lsched_id queue_world_id(const struct queue_world *w, uint32_t kind, const char *name);
/* One cycle a second later: the number of decisions. All are confirmed and, if they place, started.
 */
uint32_t queue_world_cycle(struct queue_world *w);
/* One event for a task. */
void queue_world_event(struct queue_world *w, const char *job, uint32_t index, uint32_t event);
void queue_world_remove(struct queue_world *w, const char *job);
uint32_t queue_world_placed(const struct queue_world *w, const char *job); /* tasks that hold */
lsched_waiting queue_world_waits(struct queue_world *w, const char *job);
/* Of GPUs. */
lsched_queue_share queue_world_share(struct queue_world *w, const char *queue);

#endif
