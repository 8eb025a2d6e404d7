/*
 * gang_walk.h -- bringing a gang to its minimum, or growing it by one step, inside the
 * transaction of an action.
 *
 * The gang tree is walked depth first along a trail of the groups that were entered. A leaf takes
 * as many tasks as its minimum lacks, dealt out to the domains inside its own as the engine says
 * (divide), and tries its alternatives in order, each in all domains. An inner group is satisfied
 * when enough children are, tried in the order given; where all are needed and each chooses a
 * domain, the largest first. A group with a topology wish tries domains of the preferred level,
 * then wider ones up to the required level, best first. Where children do not fit beside each
 * other the latest choice among them is made anew, some times: first fit by size with a bounded
 * search, not packing to the last place. A job above its minimum grows by one task or slice, or
 * by one sub-group that is brought to its minimum. How one task finds its node is the action's:
 * seat.
 */
#ifndef LIBSCHED_GANG_WALK_H
#define LIBSCHED_GANG_WALK_H

#include <libsched/algorithm.h>

#define GANG_DOMAINS_MAX   64
#define GANG_DOMAINS_FIRST 8 /* looked at first: one of them nearly always does */
#define GANG_DIVISIONS     6 /* how often tasks are dealt out anew while others have to make room */
#define GANG_LOOKS_BACK \
    16u /* how often choices of siblings are made anew in one domain of the group around them */
#define GANG_LOOKS_BACK_IN_ALL 128u

/* In which order children are tried: as given, or by what they lack; if they do not fit into a
 * domain so, by their largest task; and at last by their largest slice, since single tasks may have
 * taken the places that a slice needs together. */
enum { GANG_ORDER_FIRST = 0, GANG_ORDER_BY_TASK = 1, GANG_ORDER_BY_SLICE = 2, GANG_ORDERS = 3 };

/* One group being satisfied. */
struct gang_frame {
    uint32_t group;
    uint32_t outer;             /* domain that the whole group must be in, or none */
    uint32_t domain;            /* the one being tried, or none */
    uint32_t last_child;        /* that was tried, or none */
    uint32_t satisfied, failed; /* children so far */
    uint32_t order;             /* GANG_ORDER_* of its children in this domain */
    uint32_t looked_back;       /* choices below it that were made anew, in this domain */
    uint32_t parent;            /* its place in the trail */
    uint32_t before,
        before_failed; /* satisfied and failed of the parent when this one was entered */
    uint32_t level;    /* topology level to ask for next, LSCHED_NO_ROW: all of outer */
    uint32_t n_domains, at, skip,
        more;          /* a window of the level's domains; more: the level has not been used up */
    uint32_t window;   /* how many are asked for next */
    uint32_t choosing; /* has a topology wish */
    uint32_t last;     /* nothing wider may be tried */
    uint32_t alternative; /* leaf: the one being tried */
    uint64_t begin, mark; /* where it began; after its alternative was chosen */
    uint32_t domains[GANG_DOMAINS_MAX];
};

struct gang_size {
    int64_t gpu;     /* of all tasks that lack */
    int64_t task[3]; /* of the largest task: gpu, cpu, memory */
    uint32_t tasks, as_given;
    uint32_t slice; /* tasks of the largest slice, 1 without slices */
};

/* Memory of a walk; one per action. */
struct gang_memory {
    struct gang_frame trail[LSCHED_GROUPS_PER_JOB_MAX + 1];
    struct gang_size size[LSCHED_GROUPS_PER_JOB_MAX]; /* by group: what it lacks */
    uint32_t looks_left;
    struct gang_frame
        path[LSCHED_GROUPS_PER_JOB_MAX]; /* growing: from the root to the group that grows */
};

struct gang {
    const lsched_act *act;
    lsched_cycle *cycle;
    struct gang_memory *memory;
    uint32_t job;
    const lsched_group_view *groups;
    uint32_t n;
    /* Place one more task of a leaf group in the domain (or anywhere): 1, 0 or an error. */
    int32_t (*seat)(struct gang *g, uint32_t group, uint32_t domain);
};

/* Look at the job's groups as they are now. */
int32_t gang_look(struct gang *g, uint32_t job);
/* One step: to the minimum, or beyond it by one task or sub-group. 1, 0 or an error. */
int32_t gang_step(struct gang *g);
/* All the steps that find room, one after the other. 0 or an error. */
int32_t gang_regrow(struct gang *g);
/* One step of the job where there is room and its queues let it; and: on room that comes free,
 * where it is nominated then, the transaction rolled back to `mark` before. 1, 0 or an error. */
int32_t gang_try(struct gang *g);
int32_t gang_try_later(struct gang *g, uint64_t mark);
/* find_node, then place: how a task is seated where there is room. */
int32_t gang_seat_free(struct gang *g, uint32_t group, uint32_t domain);

#endif
