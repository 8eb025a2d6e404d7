/*
 * adopt.h -- carries the plan of a clone over to the cluster from which the clone was made.
 *
 * A host can plan on a clone in one thread while another thread reports events to the original.
 * lsched_adopt() then applies the clone's plan to the original, as far as the original still allows
 * it. docs/adopt.md describes the rules and their cost. libsched.h includes this header and states
 * the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_ADOPT_H
#define LIBSCHED_ADOPT_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of one decision group of the clone's plan. `object` of the record is the object that
 * each comment names first; without one, it is 0. */
enum lsched_adopt_result {
    LSCHED_ADOPTION_APPLIED = 0,   /* all decisions of the group are open decisions now */
    LSCHED_ADOPTION_JOB_GONE = 1,  /* the job no longer exists */
    LSCHED_ADOPTION_NODE_GONE = 2, /* the node no longer exists */
    LSCHED_ADOPTION_NOT_SHARED =
        3, /* the object exists in the clone only, or is another one there */
    LSCHED_ADOPTION_JOB_CHANGED = 4, /* job: its tasks that wait or run are not those of the plan */
    LSCHED_ADOPTION_JOB_WAITS = 5,   /* job: it is held, in backoff, or was refused */
    LSCHED_ADOPTION_NODE_CLOSED = 6, /* node: it takes no work */
    LSCHED_ADOPTION_ROOM = 7,        /* node: it has no room for the task */
    LSCHED_ADOPTION_RULES =
        8, /* node: labels, taints, places, other jobs or the policy forbid it */
    LSCHED_ADOPTION_LIMIT = 9, /* queue: its limit or its allowance leaves no room for the job */
    LSCHED_ADOPTION_TASK_ENDED = 10, /* job: a task that was to stop does not run any more */
    LSCHED_ADOPTION_PROTECTED = 11,  /* job: its task must not stop for this job now */
    LSCHED_ADOPTION_NEEDLESS = 12,   /* job: it has room without all of these evictions */
    LSCHED_ADOPTION_CLAIM = 13, /* job: it has arrived since, ranks first, and can use the room */
    LSCHED_ADOPTION_GANG = 14,  /* job: the group does not bring it to its minimum */
    /* the decisions follow from the cluster's own state, and the cluster has decided otherwise:
     * memory pressure, resizes, warnings, drains, time limits, idle jobs, stale gangs, nominated
     * tasks whose room came free. Or they are moves for no job, which its next cycle makes */
    LSCHED_ADOPTION_OWN = 15,
    LSCHED_ADOPTION_NOT_ASKED = 16, /* decision_kinds leave out a kind that the group needs */
    LSCHED_ADOPTION_BUDGET = 17 /* work_budget or decisions_max was spent, or an interrupt came */
};

/* Flags of lsched_adopt_opts. UNFAIR_OK: adopt a group also if a job that has arrived since then
 * has a higher claim to its room. */
enum lsched_adopt_flags { LSCHED_ADOPT_UNFAIR_OK = 1 };

typedef struct lsched_adopt_opts {
    uint32_t size;
    uint32_t flags; /* flags LSCHED_ADOPT_* */
    /* options of the cycle in which the plan is adopted; NULL: the default options, at the later of
     * the cluster's latest time and the time of the plan */
    const lsched_schedule_opts *schedule;
} lsched_adopt_opts;

/* One decision group of the clone's plan: its decisions `first` to `first` + `count` - 1. */
typedef struct lsched_adopted_group {
    uint32_t size;
    uint32_t result; /* LSCHED_ADOPTION_* */
    uint64_t first;  /* index in the clone's plan */
    uint64_t count;
    uint64_t from_group; /* number of the group in the clone's plan */
    uint64_t group;      /* number of the group in the adopted plan; 0: the group was dropped */
    uint64_t failed_at;  /* of a dropped group: index of the decision that could not be adopted */
    lsched_id object;    /* what changed; 0: no object, or one that `from` names but is not here */
} lsched_adopted_group;

/* Applies the plan `from` to the cluster. lsched_schedule() must have made it for a clone of the
 * cluster, or for a clone of a clone. The call is a cycle of the cluster: it does what every cycle
 * does before its actions (wakes jobs, admits new ones, places nominated tasks whose room came
 * free). Instead of its actions, it goes through the decision groups of the plan. Where the plan
 * stops work because of a drain, a time limit, idleness or a stale gang, the action of the policy
 * that does this runs in the present state, and can decide more than the plan has. A group is adopted
 * whole if all rules allow each of its decisions now, else dropped whole. A dropped group changes
 * nothing. Tasks go to the nodes of the plan, and get its devices there or, if need be, others.
 *
 * *adopted is a plan of the cluster, which the host carries out and destroys like every other plan.
 * Its ids are ids of the cluster. lsched_adopted_group_at() tells what became of each group, and
 * lsched_adopted_id() maps decisions. Reasons why jobs wait are not taken from the clone. Jobs that
 * the plan does not place are not tried; the next lsched_schedule() does that.
 *
 * Threads: the call changes the cluster, so the rule for calls that change a cluster holds. It reads
 * and marks `from`, so no other thread must adopt or destroy that plan meanwhile. It does not use
 * the clone, which can be in use in another thread, or gone.
 * Errors: LSCHED_E_INVAL: the plan was made for this cluster itself, for its original, for a cluster
 * that is not of the same family, or by lsched_would_start(); LSCHED_E_STATE: the plan was adopted
 * before; those of lsched_schedule(). After an error, the cluster and `from` are as before. */
LSCHED_API int32_t lsched_adopt(lsched_cluster *cluster, lsched_plan *from,
                                const lsched_adopt_opts *opts, lsched_plan **adopted,
                                lsched_error *err);

/* The groups of the clone's plan, in its order; none for a plan that lsched_adopt() did not make.
 * A record is valid as long as the plan. */
LSCHED_API size_t lsched_adopted_group_size(const lsched_plan *adopted);
LSCHED_API const lsched_adopted_group *lsched_adopted_group_at(const lsched_plan *adopted,
                                                               size_t i);
/* Returns the id of the open decision that decision i of the clone's plan became; 0: it was
 * dropped, or a later group of the same plan withdrew it. */
LSCHED_API lsched_id lsched_adopted_id(const lsched_plan *adopted, size_t i);
/* Returns the word of a result ("applied", "room"), or "unknown". The text is static. */
LSCHED_API const char *lsched_adopt_result_name(uint32_t result);

#define LSCHED_ADOPT_OPTS_INIT LSCHED_INIT(lsched_adopt_opts)

#ifdef __cplusplus
}
#endif
#endif
