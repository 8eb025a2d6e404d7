/*
 * gang_walk.h -- places tasks of a gang until the gang has its minimum, or lets a gang grow by one
 * step. Both happen inside the transaction of an action.
 *
 * The walk visits the tree of task groups depth first. An array, the trail, records the groups that
 * were entered. For a leaf group, the walk places as many tasks as are missing to the group's
 * minimum. The engine divides these tasks among the topology domains inside the leaf's own domain
 * (the call `divide`). A leaf group can have alternatives; they are tried in order, each in all
 * domains. An inner group is satisfied when as many of its children are satisfied as its minimum
 * says. The children are tried in the order given at submission. Only if all children are needed
 * and each chooses a domain, the largest child is tried first. A group with a topology constraint
 * first tries domains of its preferred level, then domains of wider levels up to its required
 * level. In each level the best domains come first.
 *
 * If the children of a group do not fit side by side, the walk revises the latest choice of a
 * domain or an alternative below the group, a limited number of times. The search is bounded, so it
 * does not find every possible packing. A job above its minimum grows by one task or one task block
 * (`slice` in the code), or by one sub-group, whose minimum is placed. A group whose size is chosen
 * when it starts (is_open) gets its minimum, and then grows in the same transaction for as long as
 * its tasks fit. The action supplies the
 * function `seat`, which finds a node for one task and places the task there.
 */
#ifndef LIBSCHED_GANG_WALK_H
#define LIBSCHED_GANG_WALK_H

#include "algorithms/support/algorithm_env.h"

#define GANG_DOMAINS_MAX 64
/* number of domains that are fetched first; one of these nearly always fits */
#define GANG_DOMAINS_FIRST 8
/* maximum number of divisions that are tried if the action evicts work for the tasks */
#define GANG_DIVISIONS         6
#define GANG_LOOKS_BACK        16u /* maximum number of revised choices in one domain of a group */
#define GANG_LOOKS_BACK_IN_ALL 128u

/* Orders in which the children of a group are tried. The first order is the one given at
 * submission, or the largest child first. If the children do not fit into a domain in this order,
 * the children with the largest tasks come first. In the last order, the children with the largest
 * task blocks come first, because single tasks can occupy the nodes that a block needs together. */
enum { GANG_ORDER_FIRST = 0, GANG_ORDER_BY_TASK = 1, GANG_ORDER_BY_SLICE = 2, GANG_ORDERS = 3 };

/* State of the walk in one group. */
struct gang_frame {
    uint32_t group;
    uint32_t outer;      /* domain that must contain the whole group, or LSCHED_NO_ROW */
    uint32_t domain;     /* domain that is being tried, or LSCHED_NO_ROW */
    uint32_t last_child; /* child of the group that was entered last, or LSCHED_NO_ROW */
    /* number of children that were satisfied, and that failed, in this domain so far */
    uint32_t satisfied, failed;
    uint32_t order;       /* order in which the children are tried in this domain (GANG_ORDER_*) */
    uint32_t looked_back; /* number of choices below this group that were revised in this domain */
    uint32_t parent;      /* index in the trail of the parent group's frame */
    /* values of the parent frame's `satisfied` and `failed` when this group was entered */
    uint32_t before, before_failed;
    /* topology level whose domains are fetched next; LSCHED_NO_ROW: the whole domain `outer` */
    uint32_t level;
    /* The domains that were fetched:
     *   n_domains   number of domains in `domains`
     *   at          index in `domains` of the next domain to try
     *   skip        number of domains of the level that were fetched so far
     *   more        1 if the level has further domains */
    uint32_t n_domains, at, skip, more;
    uint32_t window;      /* number of domains to fetch with the next call */
    uint32_t choosing;    /* 1: the group has a topology constraint and chooses a domain */
    uint32_t last;        /* 1: all levels have been fetched, so no wider level follows */
    uint32_t alternative; /* alternative of a leaf group that is being tried */
    /* marks of the transaction: `begin` is set when the group is entered, `mark` after its
     * alternative is chosen */
    uint64_t begin, mark;
    uint32_t domains[GANG_DOMAINS_MAX];
};

struct gang_size {
    int64_t gpu; /* milli-GPU of all tasks that are missing to the minimum */
    /* request of the largest task: gpu (milli-GPU), cpu (milli-cores), memory (bytes) */
    int64_t task[3];
    uint32_t tasks, as_given;
    uint32_t slice; /* number of tasks of the largest task block; 1 if there are no blocks */
};

/* Memory of a walk. Each action has one such struct. */
struct gang_memory {
    struct gang_frame trail[LSCHED_GROUPS_PER_JOB_MAX + 1];
    /* for each group: what is missing to its minimum */
    struct gang_size size[LSCHED_GROUPS_PER_JOB_MAX];
    uint32_t looks_left; /* number of revised choices that are still allowed in the whole walk */
    /* for a job that grows: frames of the groups from the root to the group that grows */
    struct gang_frame path[LSCHED_GROUPS_PER_JOB_MAX];
};

struct gang {
    const lsched_act *act;
    lsched_cycle *cycle;
    struct gang_memory *memory;
    uint32_t job;
    const lsched_group_view *groups;
    uint32_t n;
    /* Places one more task of a leaf group in a domain; LSCHED_NO_ROW means on any node. Returns 1,
     * or 0 if there is no room, or a negative error code. */
    int32_t (*seat)(struct gang *g, uint32_t group, uint32_t domain);
    /* For groups whose size is chosen in the transaction: how many steps above their minimums they
     * may get, and how many the latest call gave them. */
    uint32_t extra_max, extra;
};

/* Makes `job` the job of the walk and reads the current state of its groups. */
int32_t gang_look(struct gang *g, uint32_t job);
/* Takes one step: if the job is below its minimum, places the missing tasks; otherwise lets the job
 * grow by one task, one task block or one sub-group. Returns 1, or 0 if there is no room, or a
 * negative error code. */
int32_t gang_step(struct gang *g);
/* Takes steps until there is no more room. Returns 0 or a negative error code. */
int32_t gang_regrow(struct gang *g);
/* gang_try takes one step of the job, if the limits of its queues allow it and there is room now,
 * and chooses the sizes of the groups that it starts.
 * gang_try_later first rolls the transaction back to `mark`. Then it takes one step that can also
 * use room that comes free later; tasks in such room are nominated. Both return 1, or 0 if there is
 * no room, or a negative error code. */
int32_t gang_try(struct gang *g);
/* Gives the groups that the transaction has started, and whose size it chooses, more tasks as long
 * as these fit, at most g->extra_max steps; sets g->extra to the number of steps. Returns 1 or a
 * negative error code. */
int32_t gang_extend(struct gang *g);
int32_t gang_try_later(struct gang *g, uint64_t mark);
/* A `seat` function that never evicts: finds a node for one task with find_node and places the
 * task. */
int32_t gang_seat_free(struct gang *g, uint32_t group, uint32_t domain);

/* Functions for algorithms whose only memory is a struct gang_memory: `create` and `destroy` of
 * lsched_algorithm. */
int32_t gang_memory_create(const lsched_algorithm_env *env, void **self, lsched_error *err);
void gang_memory_destroy(const lsched_algorithm_env *env, void *self);

#endif
