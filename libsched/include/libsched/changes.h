/*
 * changes.h -- the change feed: what calls did beyond what they were asked to do.
 *
 * A call can change more than the objects that it names: a report that a task failed can withdraw
 * the proposals of its gang, and a node that is removed takes its tasks with it. The feed has one
 * record for each such effect, in the order in which the effects happened. An orchestrator that
 * reads the feed after each call needs no polling. Not in the feed is what the call asks for:
 *   - the decisions of a plan, the decision of an outcome;
 *   - the task of a report or an import, with its open decisions, such as a RESIZE of a task that
 *     ended; the RESIZE that a new lsched_tasks_resize() of the task replaces;
 *   - the job that is removed or completed, with its tasks and decisions;
 *   - the end of a hold by LSCHED_JOB_SET_AGAIN, a hold by lsched_jobs_hold() and its release;
 *   - the nodes that a rejection avoids until a time of its own (lsched_refusal.until_us).
 * In the feed is what a rule of the library adds, also if the orchestrator could foresee it: the job
 * ends with its last task (ENDED), a failed job waits (BACKOFF), a node is avoided after a rejection
 * without a time (AVOIDED). A call that fails leaves no record, nor does a failed element of a
 * partial batch.
 *
 * The feed is a ring of bounded size (lsched_cluster_opts.changes_bytes). A record needs about 200
 * bytes and the bytes of its names. At least the records of the latest half of the ring can be
 * read. A call never waits for a reader, and it allocates no memory for the feed. Equal calls give
 * equal records. The feed is not part of the state: no hash and no image includes it, and a clone
 * and a loaded cluster begin with an empty feed, because their orchestrator lists their objects.
 *
 * libsched.h includes this header and states the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_CHANGES_H
#define LIBSCHED_CHANGES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What changed: LSCHED_CHANGE_WITHDRAWN, _SEATED ... */
enum lsched_change_kind {
#define LSCHED_X_CHANGE(name, value, word) LSCHED_CHANGE_##name = value,
#include <libsched/changes.def>
};

/* The rule that made a change: LSCHED_BECAUSE_NONE, _GANG ... */
enum lsched_because {
#define LSCHED_X_BECAUSE(name, value, word) LSCHED_BECAUSE_##name = value,
#include <libsched/changes.def>
};

/* The call that made a change: LSCHED_CALL_SCHEDULE, _SETTLE ... */
enum lsched_call_kind {
#define LSCHED_X_CALL(name, value, word) LSCHED_CALL_##name = value,
#include <libsched/changes.def>
};

/* Size of the feed's memory if lsched_cluster_opts.changes_bytes is 0, and the bounds of the
 * field. */
#define LSCHED_CHANGES_BYTES_DEFAULT 131072u
#define LSCHED_CHANGES_BYTES_MIN     8192u
#define LSCHED_CHANGES_BYTES_MAX     1073741824u

/* task_index of a change that is about a job as a whole */
enum lsched_no_task { LSCHED_NO_TASK = -1 };

/* One change. The object with an id can have ended since; the names and tags are copies from the
 * time of the change. A field that does not apply to the change is 0 or empty. */
typedef struct lsched_change {
    uint32_t size;
    uint32_t kind;      /* LSCHED_CHANGE_* */
    uint32_t because;   /* LSCHED_BECAUSE_* */
    uint32_t call;      /* LSCHED_CALL_* */
    uint64_t element;   /* index of the element of the call's batch that made the change */
    int64_t at_us;      /* latest time of the cluster when the change was made */
    lsched_id cause;    /* object that the element names; 0: none, such as for a cycle */
    lsched_id decision; /* the decision that ended or changed */
    lsched_id job;
    uint64_t job_tag;
    lsched_id node; /* node on which the task is, was, or was to start */
    uint64_t node_tag;
    lsched_id queue;        /* queue of the job */
    int64_t task_index;     /* task of the job, or LSCHED_NO_TASK */
    uint32_t decision_kind; /* LSCHED_DECIDE_*, kind of `decision` before the change; 0: none */
    uint32_t
        held; /* HELD: LSCHED_HELD_*, why the job is held; RELEASED: HELD_HOST if such a hold ends */
    /* BACKOFF, AVOIDED: end of the backoff; LSCHED_NEVER_US: for ever. FIRM_LOST: the start that was
     * firm */
    int64_t until_us;
    lsched_text job_name, node_name, queue_name;
    lsched_text cause_name; /* name of `cause`; for a decision, the name of its job */
    lsched_id run;          /* LOST, GONE, OVERDUE: the run of the task, as in lsched_task_info */
} lsched_change;

/* Writes the change at *cursor to *out, moves *cursor to the next change and returns 1; returns 0
 * if there is no further change. Set out->size before the call. Each reader has a cursor of its
 * own, which is 0 before the first call; its other values are opaque. The texts of *out are valid
 * until the next call that changes the cluster. LSCHED_E_GONE: changes after the cursor have been
 * overwritten; that also happens to each reader if one call makes more records than half of the
 * ring holds. A cursor belongs to one handle: with a cursor of a clone, of the original, of the
 * cluster before a save and load, or of a cluster with another id_salt, the call is LSCHED_E_GONE,
 * too. The library cannot tell apart two clusters that are created without a salt. After
 * LSCHED_E_GONE, *cursor is at the end of the feed: list the objects (lsched_next,
 * lsched_tasks_next, lsched_decisions_next) and read on. LSCHED_E_BUSY: a callback of the cluster
 * asks. */
LSCHED_API int32_t lsched_changes_next(const lsched_cluster *cluster, uint64_t *cursor,
                                       lsched_change *out, lsched_error *err);
/* Returns the cursor after the latest change, for a reader that has just listed all objects; 0, the
 * cursor of a new reader, for a NULL cluster and inside a callback of the cluster. */
LSCHED_API uint64_t lsched_changes_end(const lsched_cluster *cluster);

/* The word of a code, as tables and scenarios show it ("withdrawn", "gang", "settle"); "unknown"
 * for a code that this version does not know. The texts are static. */
LSCHED_API const char *lsched_change_name(uint32_t kind);
LSCHED_API const char *lsched_because_name(uint32_t because);
LSCHED_API const char *lsched_call_name(uint32_t call);

#ifdef __cplusplus
}
#endif
#endif
