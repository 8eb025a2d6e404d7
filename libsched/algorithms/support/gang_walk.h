/*
 * gang_walk.h -- brings a gang to its minimum, or grows it by one step, inside the transaction of
 * an action.
 *
 * The walk visits the tree of task groups depth first and records the groups that were entered in a
 * trail. For a leaf group, the walk places as many tasks as are missing to its minimum. The engine
 * divides these tasks among the topology domains inside the leaf's own domain (the call `divide`).
 * The leaf's alternatives are tried in order, each in all domains. An inner group is satisfied when
 * enough of its children are. Its children are tried in the order given at submission; if all
 * children are needed and each chooses a domain, the largest child is tried first. A group with a
 * topology constraint tries domains of its preferred level first, then domains of wider levels up
 * to its required level, and in each level the best domains first.
 *
 * If children do not fit side by side, the latest choice among them is revised, a limited number of
 * times. The method is first fit by size with a bounded search, so it does not find every possible
 * packing. A job above its minimum grows by one task or one task block (`slice` in the code), or by
 * one sub-group that is brought to its minimum. The action supplies `seat`, the function that finds
 * a node for one task.
 */
#ifndef LIBSCHED_GANG_WALK_H
#define LIBSCHED_GANG_WALK_H

#include <libsched/algorithm.h>

#define GANG_DOMAINS_MAX 64
/* size of the first window of domains: one of them nearly always fits */
#define GANG_DOMAINS_FIRST 8
/* how many divisions are tried while other work has to be evicted for the tasks */
#define GANG_DIVISIONS 6
#define GANG_LOOKS_BACK \
    16u /* how often choices of children are revised in one domain of their group */
#define GANG_LOOKS_BACK_IN_ALL 128u

/* The order in which the children of a group are tried: first as given, or by the amounts that they
 * still need. If they do not fit into a domain in that order, they are ordered by their largest
 * task. At last they are ordered by their largest task block, because single tasks may have taken
 * the nodes that a block needs together. */
enum { GANG_ORDER_FIRST = 0, GANG_ORDER_BY_TASK = 1, GANG_ORDER_BY_SLICE = 2, GANG_ORDERS = 3 };

/* The state of the walk in one group that it tries to bring to its minimum. */
struct gang_frame {
    uint32_t group;
    uint32_t outer;             /* domain that must contain the whole group, or LSCHED_NO_ROW */
    uint32_t domain;            /* domain that is being tried, or LSCHED_NO_ROW */
    uint32_t last_child;        /* child that was tried last, or LSCHED_NO_ROW */
    uint32_t satisfied, failed; /* number of children so far */
    uint32_t order;             /* GANG_ORDER_* of its children in this domain */
    uint32_t looked_back;       /* choices below this group that were revised in this domain */
    uint32_t parent;            /* index of the parent's frame in the trail */
    /* values of `satisfied` and `failed` of the parent when this group was entered */
    uint32_t before, before_failed;
    uint32_t level; /* topology level to fetch next; LSCHED_NO_ROW: all of `outer` */
    /* window of the level's domains; skip: number fetched so far; more: further domains follow */
    uint32_t n_domains, at, skip, more;
    uint32_t window;      /* number of domains to fetch next */
    uint32_t choosing;    /* 1: the group has a topology constraint and chooses a domain */
    uint32_t last;        /* 1: no wider level is to be tried */
    uint32_t alternative; /* leaf: the alternative that is being tried */
    /* marks of the transaction: when the group was entered, and after its alternative was chosen */
    uint64_t begin, mark;
    uint32_t domains[GANG_DOMAINS_MAX];
};

struct gang_size {
    int64_t gpu;     /* milli-GPU of all missing tasks */
    int64_t task[3]; /* request of the largest task: gpu, cpu, memory */
    uint32_t tasks, as_given;
    uint32_t slice; /* size of the largest task block, 1 without blocks */
};

/* Memory of a walk; each action has one. */
struct gang_memory {
    struct gang_frame trail[LSCHED_GROUPS_PER_JOB_MAX + 1];
    struct gang_size size[LSCHED_GROUPS_PER_JOB_MAX]; /* by group: what is missing to its minimum */
    uint32_t looks_left; /* revised choices that the whole walk may still make */
    /* when a job grows: frames from the root to the group that grows */
    struct gang_frame path[LSCHED_GROUPS_PER_JOB_MAX];
};

struct gang {
    const lsched_act *act;
    lsched_cycle *cycle;
    struct gang_memory *memory;
    uint32_t job;
    const lsched_group_view *groups;
    uint32_t n;
    /* Places one more task of a leaf group in the domain (LSCHED_NO_ROW: on any node). Returns 1, 0
     * if there is no room, or an error. */
    int32_t (*seat)(struct gang *g, uint32_t group, uint32_t domain);
};

/* Makes `job` the job of the walk and reads the current state of its groups. */
int32_t gang_look(struct gang *g, uint32_t job);
/* Takes one step: brings the job to its minimum, or grows it beyond its minimum by one task, one
 * task block or one sub-group. Returns 1, 0 if there is no room, or an error. */
int32_t gang_step(struct gang *g);
/* Takes all steps for which there is room, one after the other. Returns 0 or an error. */
int32_t gang_regrow(struct gang *g);
/* gang_try takes one step of the job if there is room now and the limits of its queues allow it.
 * gang_try_later first rolls the transaction back to `mark`, then also uses room that comes free;
 * the tasks are nominated there. Both return 1, 0 if there is no room, or an error. */
int32_t gang_try(struct gang *g);
int32_t gang_try_later(struct gang *g, uint64_t mark);
/* Calls find_node, then place: the `seat` function for room that needs no evictions. */
int32_t gang_seat_free(struct gang *g, uint32_t group, uint32_t domain);

#endif
