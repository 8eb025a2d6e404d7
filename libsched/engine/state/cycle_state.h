/*
 * cycle_state.h -- struct lsched_cycle: what lsched_schedule() needs while one cycle runs.
 *
 * A cycle changes state only in columns inside one undo scope, so an error anywhere undoes the
 * whole cycle. The members of this struct are scratch. The order of work is: wake jobs (nodes that
 * gained room, queues whose use fell), refresh what depends on time, admit new jobs, run the
 * actions of the pipeline, copy the plan out. If a hook of the policy fails, the cycle is undone
 * and begins again without that hook.
 */
#ifndef LIBSCHED_CYCLE_STATE_H
#define LIBSCHED_CYCLE_STATE_H

#include "engine/state/cluster.h"
#include "engine/topology/assign_slices.h"
#include "engine/state/policy_log.h"
#include "model/jobs/bundle.h"
#include "model/devices/resource_part.h"
#include "model/jobs/task.h"

/* Why the current job could not be placed. The diagnosis is collected during the attempt and
 * becomes a park_reason. */
struct diagnosis {
    uint32_t code, kind, group, able, limiting;
    int64_t need, have;
    uint32_t shape;       /* task shape that found no room, NO_ROW if none */
    uint32_t placed_best; /* most tasks of the group that fitted */
    /* 1 if a queue's limit on a resource part (such as a GPU model) reduced the choice of nodes */
    uint32_t model_short;
};

/* A job that an action set aside, and what its queue is charged for it meanwhile. */
struct deferred {
    uint32_t job, shape, tasks; /* tasks is 0 if nothing is charged */
    int64_t gpu;
};

struct waiting_row {
    uint32_t bundle; /* bundle that was parked in this cycle */
};

struct withdrawn_note {
    lsched_id id;
    size_t at;      /* undo position: a rollback to an earlier position removes this entry */
    uint32_t queue; /* queue of the task's job */
    uint64_t group; /* decision group of the current transaction, or of the latest one */
};

/* For which job the current placement strategy was chosen. */
struct choice {
    int made;
    uint32_t job, queue, shape;
    uint64_t tried;
};

/* A domain that took fewer tasks of a leaf group than its room count said, and how many it took. */
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
    lsched_part *out, whole;   /* latest assignment that was returned to an action */
    int64_t *left_over;        /* room counts, corrected for the domains in full[] */
    struct deal_full full[16]; /* domains that took fewer tasks of the current job than counted */
    uint32_t n_full;
};

struct lsched_cycle {
    struct lsched_cluster *c;
    struct columns *k;
    lsched_error *err;
    int64_t now;
    uint64_t given, budget,
        /* work units. given: from the orchestrator; budget: with the credit of earlier cycles
         * (pass.h), UINT64_MAX if unbounded; spent: used so far */
        spent;
    uint64_t decisions_left;
    uint64_t bound;  /* decisions_left at the beginning */
    uint64_t number; /* M_CYCLE when the cycle began */
    uint32_t flags;  /* LSCHED_PLAN_* flags so far */
    /* jobs that were parked because each alone exceeds the bounds of a cycle */
    uint32_t steps_aside;
    uint64_t looked_at; /* attempts that ended with a planned start and not with a decision */
    /* 1 if the budget, the bound on decisions or an interrupt ended the cycle: next_job then
     * returns no job */
    int stop;
    int full; /* 1 if the bound on decisions ended the cycle */
    /* part of the pass (pass.h) that this cycle runs: */
    uint32_t action;      /* position of the current action in the pipeline */
    uint64_t ended;       /* transactions that ended, kept or undone */
    uint64_t stood;       /* awake bundles when the pass began; 0 if an earlier cycle began it */
    int saves;            /* 1 if this cycle leaves all its work units to the next cycle */
    uint32_t hooks_off;   /* LSCHED_HOOK_* that failed in this cycle */
    uint32_t hook_failed; /* hook that has just failed: the cycle begins again without it */
    int32_t policy_error;
    char policy_message[LSCHED_MESSAGE_BYTES];
    struct policy_log log;
    uint64_t jobs_tried, scored_before, steps_before, evictions, moves, proven, cut;
    struct policy_eviction eviction;
    int64_t owed[KINDS_MAX];      /* guarantee reserve by resource kind (guarantee_reserve.h) */
    int64_t owed_mine[KINDS_MAX]; /* the portion of owed[] that is reserved for owed_job itself */
    uint32_t owed_job;
    int owes;
    /* waiting jobs with the better entitlement (put_off.h); NULL if not counted yet */
    struct put_off *put_off;
    /* reasons (LSCHED_FOR_*) for which later actions of the pipeline evict or move tasks */
    uint32_t evicts_after;
    /* resource kinds that have guarantees, one bit each, if any action of the pipeline evicts */
    uint32_t guaranteed;
    int plans_time;     /* 1 if the current action computes planned starts */
    int64_t evict_next; /* time at which jobs that found no victims are to search again */
    uint32_t moves_max; /* most moves that the orchestrator allows for freeing whole nodes */
    const lsched_place_ops *place;
    void *place_self;
    struct algorithm_slot *place_slot;
    /* for which job the policy chose the strategy: hook_strategy.h */
    struct choice choice;
    struct policy_pipeline pipeline; /* actions of this cycle: hook_strategy.h */
    const lsched_order_ops *order;
    void *order_self;
    /* the current job: */
    uint32_t job;        /* row of the job, NO_ROW if none */
    size_t mark;         /* undo position before the job's transaction */
    uint32_t fresh_mark; /* number of decisions before the job's transaction */
    uint64_t group_serial;
    /* 1 if the current action also uses room that comes free later, and nominates tasks for it */
    uint32_t later;
    /* how much of a job the node hooks and the hook `placement` read: hooks_look */
    int look, look_placement;
    uint32_t policy_group; /* leaf group for which hooks are called */
    uint32_t charge_max;   /* bound on the GPU charge in the current search: charge_search.h */
    /* milli-GPUs that the current job would be charged in the place where its queues last refused
     * the charge; 0: they refused none */
    int64_t charge_asked;
    /* resource parts whose limit leaves less than one task may take, in the current search:
     * hooks_search */
    struct resource_part_short model_short;
    struct diagnosis why,
        first; /* first: diagnosis of the alternatives that were tried before, valid if has_first */
    int has_first;
    /* jobs that a planned start set aside: plan_calls.c */
    struct deferred *deferred;
    uint32_t n_deferred, cap_deferred;
    struct lsched_holder *holders; /* tasks on the node that an action asked about last */
    uint32_t cap_holders;
    /* tasks that may move alone, as an action asked last: moves_calls.c */
    struct lsched_mover *movers;
    uint32_t cap_movers;
    struct gang_domains pins;
    struct deal_scratch deal;
    lsched_group_view groups[LSCHED_GROUPS_PER_JOB_MAX];
    lsched_task_shape shapes[LSCHED_GROUPS_PER_JOB_MAX];
    /* decisions of this cycle, in order */
    uint32_t *fresh;
    uint32_t n_fresh, cap_fresh;
    /* decisions that this cycle withdrew */
    struct withdrawn_note *withdrawn;
    uint32_t n_withdrawn, cap_withdrawn;
    int out_of_memory; /* 1 if memory ran out while a withdrawal was noted */
    /* victim search (victim_search.h); NULL outside of actions that evict */
    struct victim_search *search;
    /* jobs that the policy called idle at the refresh of this cycle, by name; idle_at: how many of
     * them an action got already */
    uint32_t *idle;
    uint32_t n_idle, cap_idle, idle_at;
    /* stale gangs whose grace time is over, by name: stale_calls.c */
    uint32_t *stale;
    uint32_t n_stale, cap_stale, stale_at;
    int stale_found; /* 1 if the current action has collected stale[] */
    /* root queues, for guarantee_reserve.c */
    uint32_t *roots;
    uint32_t n_roots, cap_roots;
    /* job that is to be ended, NO_ROW if none; the reason LSCHED_FOR_* */
    uint32_t overdue, overdue_for;
    uint32_t drained,
        /* job that is being drained, NO_ROW if none; position up to which nodes were checked */
        drained_at;
    int drain_rest; /* 1 if more tasks of that job must leave than this cycle may evict */
};

static inline const lsched_view *cycle_view(const struct lsched_cycle *y) {
    return &y->c->view.view;
}

/* cycle_evict_state returns a number that changes whenever the result of a victim search can
 * change. cycle_evicts_anew is true if jobs that found no victims are to search again: that number
 * changed, or the time M_EVICT_NEXT has come. */
uint64_t cycle_evict_state(const struct columns *k);
int cycle_evicts_anew(const struct lsched_cycle *y);
/* Returns the settings of the policy's table `eviction`, or the defaults. */
const struct policy_eviction *cycle_eviction(const struct lsched_cycle *y);
/* True if the pipeline of this cycle has the action. */
int cycle_has_action(const struct lsched_cycle *y, const char *action);
/* True if the policy's pipeline has the action, or if a pipeline hook can name it. */
int pipeline_has(const struct lsched_cluster *c, const char *action);
/* Brings the view up to date, and lets the current placement strategy prepare if the structure
 * changed. */
int32_t cycle_prepare_place(struct lsched_cycle *y);

#endif
