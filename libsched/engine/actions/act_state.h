/*
 * act_state.h -- data that the calls of lsched_act keep from one call to the next within a cycle.
 *
 * All members are scratch memory, and no decision depends on values of an earlier cycle. Each
 * struct belongs to the file that its comment names. cycle.c zeroes the memory when a cycle
 * begins, except the last two arrays, and the functions `*_close` of those files free the arrays.
 */
#ifndef LIBSCHED_ACT_STATE_H
#define LIBSCHED_ACT_STATE_H

#include <stddef.h>

#include "engine/state/cycle_state.h"
#include "engine/topology/assign_slices.h"
#include "engine/waits/held_places.h"
#include "engine/waits/task_ends.h"

/* A job that an action set aside, and the number of tasks and the GPU amount that its queue is
 * charged for the job meanwhile. The bundle has no firm start meanwhile: `firm` has its mark, and
 * `firm_at` its time. */
struct deferred {
    uint32_t job, shape, tasks; /* tasks: 0 if nothing is charged */
    int64_t gpu, firm_at;
    uint8_t firm;
};

/* A domain in which fewer tasks of a leaf group found places than its room count said. `tasks` is
 * the number of tasks that found places. */
struct deal_full {
    uint32_t group, domain, tasks;
};

/* Scratch of domain_calls.c: arrays by domain number, with `cap` entries each, in one memory
 * block. */
struct deal_scratch {
    void *block;
    uint32_t cap, cap_out;
    int64_t *share, *room, *limit, *left, *squares;
    uint32_t *list, *tmp;
    struct tree_part *parts;
    struct dealt dealt;
    lsched_part *out, whole; /* latest result of call_divide */
    int64_t *left_over;      /* room counts, corrected for the domains in full[] */
    int64_t *unclosed;       /* room counts without what exclusive levels close */
    int64_t *own;            /* room counts within the leaf group's limit of tasks on one node */
    /* domains in which fewer tasks of the current job found places than the room count said */
    struct deal_full full[16];
    uint32_t n_full;
};

/* The group and task shape of the job for which the rules of queues allow one task before its
 * transaction has changed anything (place_calls.c); `job` is NO_ROW if the answer is not known. */
struct allowed {
    uint32_t job, group, shape;
};

/* The node that an up-to-date index offered for a task shape, and the number of changes of nodes
 * so far plus one (act_index.h). */
struct offered {
    uint32_t shape, node, later;
    uint64_t changes; /* 0: no node was offered */
};

/* The node that was the best one for a task, and what must not have changed if it is to be the best
 * one again (best_again.h). */
struct again {
    struct search_index *index; /* NULL: no node is known */
    uint64_t dropped, structure;
    uint64_t seen; /* position in the log of nodes up to which only this node has changed */
    int64_t score; /* of the node, when it was found */
    uint32_t node, domain;
};

struct act_state {
    struct again again;
    struct allowed allowed;
    struct offered offered;
    /* reasons for which later actions of the pipeline evict or move tasks: one bit for each
     * LSCHED_FOR_* */
    uint32_t evicts_after;
    uint32_t evicts; /* the same for all actions of the pipeline */
    /* resource kinds that have guarantees, one bit each, if any action of the pipeline evicts */
    uint32_t guaranteed;
    int plans_time; /* 1 if the current action computes planned starts */
    /* number of moves that the orchestrator still allows in this cycle for freeing whole nodes */
    uint32_t moves_max;
    /* counts of the waiting jobs (put_off.h); NULL if they are not counted yet */
    struct put_off *put_off;
    /* domain_calls.c */
    struct gang_domains pins;
    struct deal_scratch deal;
    /* plan_calls.c: jobs that the action has set aside, in that order from deferred[first_deferred]
     * on */
    struct deferred *deferred;
    uint32_t first_deferred, n_deferred, cap_deferred;
    struct lsched_firm_start *firm; /* result of the latest list of firm starts */
    uint32_t cap_firm;
    int keeps_firm;                /* 1 if the current action has asked for the list */
    int gives_firm;                /* 1 if the cycle has given a firm start */
    struct task_ends ends;         /* of the node that the latest plan_wait named */
    struct lsched_holder *holders; /* result of the latest call_holders */
    uint32_t cap_holders;
    struct held_places held; /* of call_holders and the lists of nodes that changed */
    uint32_t *placed;        /* result of the latest call_placed */
    uint32_t cap_placed;
    /* moves_calls.c: result of the latest query for tasks that can move alone */
    struct lsched_mover *movers;
    uint32_t cap_movers;
    /* stale_calls.c: stale gangs whose grace time is over, sorted by name */
    uint32_t *stale;
    uint32_t n_stale, cap_stale, stale_at;
    int stale_found; /* 1 if the current action has collected stale[] */
    /* job_limit_calls.c: `overdue` is the job that is to be ended, NO_ROW if there is none.
     * `overdue_for` is the reason (LSCHED_FOR_*) of its evictions. */
    uint32_t overdue, overdue_for;
    /* drain_calls.c: `drained` is the job that is being drained, NO_ROW if there is none.
     * `drained_at` is the rank of the node that is handled now; nodes of lower rank are
     * finished. */
    uint32_t drained, drained_at;
    /* 1 if more tasks of `drained` must leave than the bound on decisions allows in this cycle */
    int drain_rest;
    /* 1 if the drain of this cycle lets a job stay that may get a place on a node which refused it.
     * If the cycle then gives this place to another job, the next cycle stops the job. */
    int drain_waits;
    /* place_calls.c: the groups and task shapes of the current job. They are half of the memory of
     * a cycle and most jobs have one group, so the arrays are not zeroed: groups[] is written
     * before it is read, and shapes[] has n_shapes entries that were written. */
    uint32_t n_shapes;
    lsched_group_view groups[LSCHED_GROUPS_PER_JOB_MAX];
    lsched_task_shape shapes[LSCHED_GROUPS_PER_JOB_MAX];
};
/* The bytes of struct act_state that are zeroed when a cycle begins. */
#define ACT_STATE_ZERO_BYTES offsetof(struct act_state, groups)

#endif
