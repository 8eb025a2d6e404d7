/*
 * cycle_state.h -- one cycle in progress: what lsched_schedule() holds between its first and its
 * last line.
 *
 * Everything it changes is in columns inside one undo scope, so an error anywhere undoes the whole
 * cycle; what is in this struct is scratch. Order of work: wake (nodes that gained room, queues
 * that gave back), refresh what depends on time, admit new jobs, run the actions of the pipeline,
 * copy the plan out. If a hook of the policy fails, the cycle is undone and begins again without
 * that hook.
 */
#ifndef LIBSCHED_CYCLE_STATE_H
#define LIBSCHED_CYCLE_STATE_H

#include "engine/state/cluster.h"
#include "engine/topology/assign_slices.h"
#include "engine/state/policy_log.h"
#include "model/jobs/bundle.h"
#include "model/devices/resource_part.h"
#include "model/jobs/task.h"

/* What stopped the job in hand, found on the way and turned into a park_reason. */
struct diagnosis {
    uint32_t code, kind, group, able, limiting;
    int64_t need, have;
    uint32_t shape;       /* that found no room, NO_ROW */
    uint32_t placed_best; /* most members of the group that fitted */
    uint32_t model_short; /* a queue's limit on a model narrowed the choice of nodes */
};

/* A job that is set aside, and what its queue is charged for it meanwhile. */
struct deferred {
    uint32_t job, shape, tasks; /* tasks 0: nothing */
    int64_t gpu;
};

struct waiting_row {
    uint32_t bundle; /* parked in this cycle */
};

struct withdrawn_note {
    lsched_id id;
    size_t at;      /* undo position: a rollback to before it forgets it */
    uint32_t queue; /* of its task's job */
    uint64_t group; /* of the transaction in hand, or of the latest */
};

/* For which job the placement strategy in hand was chosen. */
struct choice {
    int made;
    uint32_t job, queue, shape;
    uint64_t tried;
};

/* A deepest domain that gave a leaf group less than its count said, and how much it did give. */
struct deal_full {
    uint32_t group, domain, tasks;
};

/* Scratch of domain_calls.c: arrays by number of a domain, `cap` of them long, in one block. */
struct deal_scratch {
    void *block;
    uint32_t cap, cap_out;
    int64_t *share, *room, *limit, *left, *squares;
    uint32_t *list, *tmp;
    struct tree_part *parts;
    struct dealt dealt;
    lsched_part *out, whole;   /* what was dealt out last */
    int64_t *left_over;        /* room where some domains are known to have less */
    struct deal_full full[16]; /* of the job in hand */
    uint32_t n_full;
};

struct lsched_cycle {
    struct lsched_cluster *c;
    struct columns *k;
    lsched_error *err;
    int64_t now;
    uint64_t given, budget,
        spent; /* given by the host, and with credit (pass.h); UINT64_MAX: no bound */
    uint64_t decisions_left;
    uint64_t bound;       /* decisions_left at the beginning */
    uint64_t number;      /* M_CYCLE when it began */
    uint32_t flags;       /* LSCHED_PLAN_* so far */
    uint32_t steps_aside; /* jobs that were too large for the budget alone */
    uint64_t looked_at;   /* tries that ended in a plan, not in a decision */
    int stop;             /* budget, bound or interrupt: next_job says 0 */
    int full;             /* .. and it was the bound on decisions */
    /* of the pass (pass.h) in this cycle */
    uint32_t action;      /* of the pipeline */
    uint64_t ended;       /* transactions, kept or given up */
    uint64_t stood;       /* bundles that stood in line when it began; 0: it began earlier */
    int saves;            /* the units of this cycle are left to the next */
    uint32_t hooks_off;   /* LSCHED_HOOK_* that failed in this cycle */
    uint32_t hook_failed; /* the one that has just failed: restart */
    int32_t policy_error;
    char policy_message[LSCHED_MESSAGE_BYTES];
    struct policy_log log;
    uint64_t jobs_tried, scored_before, steps_before, evictions, moves, proven, cut;
    struct policy_eviction eviction;
    int64_t owed[KINDS_MAX];      /* guarantee_reserve.h */
    int64_t owed_mine[KINDS_MAX]; /* of this, to the job asked about last */
    uint32_t owed_job;
    int owes;
    struct put_off *put_off; /* who waits with the better right, put_off.h; NULL: not counted yet */
    uint32_t evicts_after;   /* reasons for which actions after the one in hand stop or move work */
    uint32_t guaranteed;     /* kinds that a guarantee speaks of, if any action does so */
    int plans_time;          /* the action in hand plans over time */
    int64_t evict_next;      /* when a job that found no victims should look again */
    uint32_t moves_max;      /* of the host's request to make whole nodes free */
    const lsched_place_ops *place;
    void *place_self;
    struct algorithm_slot *place_slot;
    struct choice choice;            /* of it by the policy: hook_strategy.h */
    struct policy_pipeline pipeline; /* actions of this cycle: hook_strategy.h */
    const lsched_order_ops *order;
    void *order_self;
    /* the job in hand */
    uint32_t job;        /* row, NO_ROW */
    size_t mark;         /* undo position before it */
    uint32_t fresh_mark; /* decisions made before it */
    uint64_t group_serial;
    uint32_t later;           /* actions look at room that comes free, and nominate */
    int look, look_placement; /* what node hooks and `placement` see of a job: hooks_look */
    uint32_t policy_group;    /* leaf group that hooks look at */
    uint32_t charge_max;      /* of the search in hand: charge_search.h */
    int64_t charge_asked;     /* by the job in hand, where its queue may not be charged it */
    struct derived_short model_short; /* of the search in hand: hooks_search */
    struct diagnosis why,
        first; /* first: of the alternatives that were tried before, if has_first */
    int has_first;
    /* jobs that a plan over time set aside: plan_calls.c */
    struct deferred *deferred;
    uint32_t n_deferred, cap_deferred;
    struct lsched_holder *holders; /* of the node that was asked about last */
    uint32_t cap_holders;
    struct lsched_mover *movers; /* the same: moves_calls.c */
    uint32_t cap_movers;
    struct gang_pins pins;
    struct deal_scratch deal;
    lsched_group_view groups[LSCHED_GROUPS_PER_JOB_MAX];
    lsched_task_shape shapes[LSCHED_GROUPS_PER_JOB_MAX];
    /* decisions of this cycle, in order */
    uint32_t *fresh;
    uint32_t n_fresh, cap_fresh;
    /* ids of decisions of earlier cycles that this one withdrew */
    struct withdrawn_note *withdrawn;
    uint32_t n_withdrawn, cap_withdrawn;
    int out_of_memory; /* while one was noted */
    struct hunt *hunt; /* search for victims, victim_search.h; NULL outside of actions that evict */
    /* jobs that the policy called idle at the refresh of this cycle, by name; and the one that an
     * action was told to stop */
    uint32_t *idle;
    uint32_t n_idle, cap_idle, idle_at;
    /* gangs below their minimum that are due, by name: stale_calls.c */
    uint32_t *stale;
    uint32_t n_stale, cap_stale, stale_at;
    int stale_found; /* by the action in hand */
    /* root queues: guarantee_reserve.c */
    uint32_t *roots;
    uint32_t n_roots, cap_roots;
    uint32_t overdue, overdue_for; /* row, NO_ROW; LSCHED_FOR_* */
    uint32_t drained,
        drained_at; /* row of the job in hand, NO_ROW; how far the nodes were looked at */
    int drain_rest; /* more of that job has to go than this cycle may stop */
};

static inline const lsched_view *cycle_view(const struct lsched_cycle *y) {
    return &y->c->view.view;
}

/* What evictions depend on, as one number; and should all be asked again that found nobody: it
 * changed, or their time has come. */
uint64_t cycle_evict_state(const struct columns *k);
int cycle_evicts_anew(const struct lsched_cycle *y);
/* The policy's table `eviction`, or the defaults. */
const struct policy_eviction *cycle_eviction(const struct lsched_cycle *y);
/* True if the pipeline of this cycle has the action. */
int cycle_has_action(const struct lsched_cycle *y, const char *action);
/* True if the policy's pipeline has the action, or may have it in any cycle. */
int pipeline_has(const struct lsched_cluster *c, const char *action);
/* Lets the placement strategy in hand see the nodes as they are. */
int32_t cycle_prepare_place(struct lsched_cycle *y);

#endif
